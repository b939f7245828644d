// SPDX-License-Identifier: Apache-2.0
// The floor: a grid that fades out, aligned with the axes of the world, and the shadows on it.
import * as THREE from 'three';

const vertexShader = `
  varying vec2 place;
  uniform vec2 origin;
  void main() {
    place = position.xy + origin;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;

const fragmentShader = `
  varying vec2 place;
  uniform vec2 origin;
  uniform float spacing, reach, strength;
  uniform vec3 color;
  float lines(vec2 p, float wide) {
    vec2 w = fwidth(p);
    vec2 d = abs(fract(p - 0.5) - 0.5) / w;
    float crowd = 1.0 - smoothstep(0.15, 0.6, max(w.x, w.y));
    return (1.0 - min(min(d.x, d.y) / wide, 1.0)) * crowd;
  }
  void main() {
    float far = 1.0 - smoothstep(0.15, 1.0, length(place - origin) / reach);
    float alpha = max(0.4 * lines(place / spacing, 1.0), 0.8 * lines(place / (5.0 * spacing), 1.25));
    gl_FragColor = vec4(color, alpha * far * strength);
    #include <colorspace_fragment>
  }`;

/** Its plane is the xy plane of the object it returns; `origin`: where its middle stands on the axes of the world. */
export function makeFloor(spacing, reach, origin) {
  const grid = new THREE.Mesh(
      new THREE.PlaneGeometry(2 * reach, 2 * reach), new THREE.ShaderMaterial({
        vertexShader,
        fragmentShader,
        transparent: true,
        depthWrite: false,
        side: THREE.DoubleSide,
        uniforms: {
          spacing: {value: spacing},
          reach: {value: reach},
          strength: {value: 0.55},
          origin: {value: new THREE.Vector2(...origin)},
          color: {value: new THREE.Color()},
        },
      }));
  const shadow = new THREE.Mesh(
      new THREE.PlaneGeometry(2 * reach, 2 * reach),
      new THREE.ShadowMaterial({transparent: true, depthWrite: false, opacity: 0.2}));
  shadow.receiveShadow = true;
  grid.renderOrder = -2;
  shadow.renderOrder = -1;
  const floor = new THREE.Group();
  floor.add(grid, shadow);
  return {
    object: floor,
    paint(colors) {
      grid.material.uniforms.color.value.set(colors.grid);
      shadow.material.opacity = colors.shadow;
    },
  };
}
