// SPDX-License-Identifier: Apache-2.0
// Shapes of bodies as geometry of three.js. Everything round stands along z.
import * as THREE from 'three';
import {RoundedBoxGeometry} from 'three/examples/jsm/geometries/RoundedBoxGeometry.js';

const around = 64;

function alongZ(geometry) {
  geometry.rotateX(Math.PI / 2);
  return geometry;
}

/** Outer wall, inner wall and two rings. */
function tube(outer, inner, length) {
  const positions = [];
  const normals = [];
  const indices = [];
  // One strip of quadrilaterals: two circles, each (radius, z), and a normal (radial, z).
  const strip = (r0, z0, r1, z1, radial, axial) => {
    const base = positions.length / 3;
    for (let k = 0; k <= around; ++k) {
      const c = Math.cos((2 * Math.PI * k) / around);
      const s = Math.sin((2 * Math.PI * k) / around);
      positions.push(r0 * c, r0 * s, z0, r1 * c, r1 * s, z1);
      for (let twice = 0; twice < 2; ++twice) normals.push(radial * c, radial * s, axial);
    }
    for (let k = 0; k < around; ++k) {
      const a = base + 2 * k;
      indices.push(a, a + 2, a + 1, a + 1, a + 2, a + 3);
    }
  };
  const h = length / 2;
  strip(outer, -h, outer, h, 1, 0);
  strip(inner, h, inner, -h, -1, 0);
  strip(outer, h, inner, h, 0, 1);
  strip(inner, -h, outer, -h, 0, -1);
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new THREE.Float32BufferAttribute(normals, 3));
  geometry.setIndex(indices);
  return geometry;
}

/** A coil from the origin along y, with straight ends; its length is in `userData`, for those who stretch it. */
export function coilOf(radius, wire, length) {
  const turns = 9;
  const points = [];
  for (let k = 0; k <= 24 * turns; ++k) {
    const part = k / (24 * turns);
    const wide = radius * Math.min(1, 12 * Math.min(part, 1 - part));
    points.push(new THREE.Vector3(wide * Math.cos(2 * Math.PI * turns * part), (0.08 + 0.84 * part) * length,
                                  wide * Math.sin(2 * Math.PI * turns * part)));
  }
  points.unshift(new THREE.Vector3(0, 0, 0));
  points.push(new THREE.Vector3(0, length, 0));
  const geometry = new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 32 * turns, wire, 8);
  geometry.userData.length = length;
  return geometry;
}

/** The geometry of a solid; null for a line, or for a size that is no size. */
export function solidOf(shape) {
  const [a, b, c] = shape.size;
  switch (shape.kind) {
    case 'box': {
      if (!(a > 0 && b > 0 && c > 0)) return null;
      return new RoundedBoxGeometry(a, b, c, 3, 0.06 * Math.min(a, b, c));
    }
    case 'cylinder':
      return a > 0 && b > 0 ? alongZ(new THREE.CylinderGeometry(a, a, b, around)) : null;
    case 'cone':
      return a > 0 && b > 0 ? alongZ(new THREE.ConeGeometry(a, b, around)) : null;
    case 'sphere':
      return a > 0 ? new THREE.SphereGeometry(a, 48, 32) : null;
    case 'tube':
      return a > 0 && c > 0 && b < a ? tube(a, Math.max(b, 0), c) : null;
    default:
      return null;
  }
}
