// SPDX-License-Identifier: Apache-2.0
// The mechanism in 3D: bodies and what is stretched between them, axes of joints, traces, arrows, floor, light, camera.
import * as THREE from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {RoomEnvironment} from 'three/examples/jsm/environments/RoomEnvironment.js';
import {Line2} from 'three/examples/jsm/lines/Line2.js';
import {LineGeometry} from 'three/examples/jsm/lines/LineGeometry.js';
import {LineMaterial} from 'three/examples/jsm/lines/LineMaterial.js';
import {LineSegments2} from 'three/examples/jsm/lines/LineSegments2.js';
import {LineSegmentsGeometry} from 'three/examples/jsm/lines/LineSegmentsGeometry.js';

import {makeFloor} from './floor.js';
import {quantityText} from '../../shared/units.js';
import {frameAt, niceStep} from './scene.js';
import {coilOf, solidOf} from './shapes.js';
import {bodyColor, theme} from './theme.js';

const fieldOfView = 32;

/** Three unit vectors: two across `up`, the first along x where that can be, and `up`. */
function basisOf(up) {
  const w = new THREE.Vector3(...up).normalize();
  const u = Math.abs(w.x) > 0.9 ? new THREE.Vector3(0, 1, 0) : new THREE.Vector3(1, 0, 0);
  u.addScaledVector(w, -u.dot(w)).normalize();
  return {u, v: new THREE.Vector3().crossVectors(w, u), w};
}

function lineOf(points, material) {
  const geometry = new LineGeometry();
  geometry.setPositions(points);
  return new Line2(geometry, material);
}

const along = new THREE.Vector3(0, 1, 0);  // of everything that is made longer and turned

const isFinitePose = (poses, at) => {
  for (let k = at; k < at + 7; ++k) {
    if (!Number.isFinite(poses[k])) return false;
  }
  return true;
};

const before = new THREE.Quaternion();
const after = new THREE.Quaternion();

/** Places `object` as a body is at a frame: places on a straight line, attitudes on a great circle. False: not known. */
function setPose(object, poses, frame) {
  const count = Math.floor(poses.length / 7);
  if (count === 0) return true;
  const at = 7 * Math.min(frame.index, count - 1);
  if (!isFinitePose(poses, at)) return false;
  object.position.set(poses[at], poses[at + 1], poses[at + 2]);
  object.quaternion.set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]).normalize();
  const next = at + 7;
  if (frame.part > 0 && next < 7 * count && isFinitePose(poses, next)) {
    const s = frame.part;
    object.position.x += (poses[next] - object.position.x) * s;
    object.position.y += (poses[next + 1] - object.position.y) * s;
    object.position.z += (poses[next + 2] - object.position.z) * s;
    before.copy(object.quaternion);
    after.set(poses[next + 4], poses[next + 5], poses[next + 6], poses[next + 3]).normalize();
    object.quaternion.slerpQuaternions(before, after, s);
  }
  return true;
}

/** Whether a body turns by more than half a radian between two frames. */
function turnsFar(poses) {
  for (let at = 10; at + 6 < poses.length; at += 7) {
    let cosine = 0;
    for (let k = at - 7; k < at - 3; ++k) cosine += poses[k] * poses[k + 7];
    if (Math.abs(cosine) < Math.cos(0.25)) return true;
  }
  return false;
}

/** `View.renderer()` throws where there is no WebGL. */
export class View {
  static renderer() {
    return new THREE.WebGLRenderer({antialias: true, alpha: true});
  }

  constructor(scene, room, tooltip, renderer) {
    this.data = scene;
    this.room = room;
    this.tooltip = tooltip;
    this.basis = basisOf(scene.up);
    this.renderer = renderer;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.toneMappingExposure = 1.0;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    room.prepend(this.renderer.domElement);

    this.world = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(fieldOfView, 1, 0.01, 1000);
    this.camera.up.copy(this.basis.w);
    this.hoverable = [];
    this.painted = [];  // calls that take colours from the theme
    this.layers = {axes: [], traces: [], arrows: []};

    this.addBodies();
    this.measure();
    this.addFloorAndLight();
    this.addBase();
    this.addJoints();
    this.addTraces();
    this.addLinks();
    this.addArrows();
    this.paint();

    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('start', () => (this.moved = true));
    this.controls.addEventListener('change', () => (this.dirty = true));
    this.controls.minDistance = 0.02 * this.size;
    this.controls.maxDistance = 20 * this.size;
    this.listenToPointer();
    this.resize();
    this.look('iso');
  }

  addBodies() {
    const colors = theme();
    this.bodies = this.data.bodies.map((body, number) => {
      const object = new THREE.Group();
      const materials = new Map();
      for (const shape of body.shapes) {
        const color = shape.color || bodyColor(this.data, number, colors);
        if (shape.kind === 'line') {
          const material = new LineMaterial({linewidth: 2.5, color: shape.color || 0xffffff});
          if (!shape.color) this.painted.push((now) => material.color.set(now.soft));
          object.add(lineOf([...shape.place, ...shape.size], material));
          continue;
        }
        const geometry = solidOf(shape);
        if (!geometry) continue;
        if (!materials.has(color)) {
          materials.set(color, new THREE.MeshStandardMaterial({color, roughness: 0.45, metalness: 0.1}));
        }
        const mesh = new THREE.Mesh(geometry, materials.get(color));
        mesh.position.set(...shape.place);
        const [w, x, y, z] = shape.turn;
        mesh.quaternion.set(x, y, z, w).normalize();
        mesh.castShadow = mesh.receiveShadow = true;
        mesh.userData = {text: () => body.name, glow: materials};
        object.add(mesh);
        this.hoverable.push(mesh);
      }
      this.world.add(object);
      return {object, body, shown: true};
    });
  }

  /** The room that the bodies take up in all of the motion, in the basis. */
  measure() {
    const {u, v, w} = this.basis;
    const box = new THREE.Box3();
    this.points = [];
    const add = (object, x, y, z) => {
      const point = new THREE.Vector3(x, y, z).applyMatrix4(object.matrixWorld);
      this.points.push(point);
      box.expandByPoint(new THREE.Vector3(point.dot(u), point.dot(v), point.dot(w)));
    };
    const frames = Math.max(this.data.times.length, 1);
    const stride = Math.max(1, Math.floor(frames / 150));
    for (const {object, body} of this.bodies) {
      for (let index = 0; index < frames; index += stride) {
        if (!setPose(object, body.poses, {index, part: 0})) continue;
        object.updateMatrixWorld(true);
        if (body.traced) add(object, ...body.trace);
        for (const child of object.children) {
          child.geometry.computeBoundingBox();
          const {min, max} = child.geometry.boundingBox;
          for (let corner = 0; corner < 8; ++corner) {
            add(child, corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z);
          }
        }
        if (body.poses.length <= 7) break;
      }
    }
    if (box.isEmpty()) {
      box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
      this.points = [this.fromBasis(box.min), this.fromBasis(box.max)];
    }
    this.box = box;
    this.size = Math.max(box.max.distanceTo(box.min), 1e-9);
    this.center = this.fromBasis(box.getCenter(new THREE.Vector3()));
  }

  fromBasis(p) {
    return new THREE.Vector3()
        .addScaledVector(this.basis.u, p.x)
        .addScaledVector(this.basis.v, p.y)
        .addScaledVector(this.basis.w, p.z);
  }

  addFloorAndLight() {
    const {box, size} = this;
    const middle = box.getCenter(new THREE.Vector3());
    // What stands on the height zero has its floor there; what hangs has it a little below.
    const lowest = box.min.z;
    this.floorHeight = Math.abs(lowest) < 0.01 * size ? Math.min(lowest, 0) - 1e-4 * size : lowest - 0.05 * size;
    this.spacing = niceStep(size / 9);
    this.floor = makeFloor(this.spacing, 3.2 * size, [middle.x, middle.y]);
    this.floor.object.position.copy(this.fromBasis(new THREE.Vector3(middle.x, middle.y, this.floorHeight)));
    this.floor.object.quaternion.setFromRotationMatrix(
        new THREE.Matrix4().makeBasis(this.basis.u, this.basis.v, this.basis.w));
    this.world.add(this.floor.object);
    this.painted.push((now) => this.floor.paint(now));

    // The room whose walls give the light stands along y: turned, so that its lamps are above.
    const surrounding = new RoomEnvironment();
    surrounding.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.basis.w);
    surrounding.position.applyQuaternion(surrounding.quaternion);
    const generator = new THREE.PMREMGenerator(this.renderer);
    this.world.environment = generator.fromScene(surrounding, 0.04).texture;
    this.world.environmentIntensity = 0.55;
    generator.dispose();

    const sun = new THREE.DirectionalLight(0xffffff, 2.1);
    const target = this.center;
    sun.position.copy(target).add(this.fromBasis(new THREE.Vector3(0.6, -1.0, 1.3)).multiplyScalar(size));
    sun.target.position.copy(target);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    sun.shadow.radius = 5;
    sun.shadow.normalBias = 0.002 * size;
    sun.shadow.bias = -0.0005;
    Object.assign(sun.shadow.camera, {
      left: -0.9 * size,
      right: 0.9 * size,
      top: 0.9 * size,
      bottom: -0.9 * size,
      near: 0.1 * size,
      far: 4 * size,
    });
    this.world.add(sun, sun.target);
  }

  /**
   * What is held by the ground stands on something: below all places where it is held a block, and a post to each; where the
   * mechanism moves through that room, a bearing at each place only.
   */
  addBase() {
    const {u, v, w} = this.basis;
    const held = [];
    for (const {body, place} of this.data.joints) if (body <= 0) held.push(place);
    for (const {bodies, places} of this.data.links) bodies.forEach((body, k) => body <= 0 && held.push(places[k]));
    if (held.length === 0) return;
    const places = held.map((place) => new THREE.Vector3(...place)).map((p) => new THREE.Vector3(p.dot(u), p.dot(v), p.dot(w)));
    const s = this.size;
    const box = new THREE.Box3().setFromPoints(places);
    const pad = 0.05 * s;
    const [low, high] = [box.min.clone().subScalar(pad), box.max.clone().addScalar(pad)];
    const top = box.min.z - 0.04 * s;
    const blocked = this.points.some((p) => {
      const [x, y, z] = [p.dot(u), p.dot(v), p.dot(w)];
      return x > low.x && x < high.x && y > low.y && y < high.y && z < top;
    });
    const material = new THREE.MeshStandardMaterial({roughness: 0.7, metalness: 0.05});
    this.painted.push((now) => material.color.set(now.base));
    const group = new THREE.Group();
    group.quaternion.setFromRotationMatrix(new THREE.Matrix4().makeBasis(u, v, w));
    const add = (geometry, x, y, z) => {
      const mesh = new THREE.Mesh(geometry, material);
      mesh.position.set(x, y, z);
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.userData = {text: () => 'ground', glow: new Map([[0, material]])};
      group.add(mesh);
      this.hoverable.push(mesh);
    };
    const tall = top - this.floorHeight;
    if (blocked || tall < 0.01 * s) {
      for (const p of places) add(new THREE.BoxGeometry(0.035 * s, 0.035 * s, 0.02 * s), p.x, p.y, p.z);
    } else {
      add(new THREE.BoxGeometry(high.x - low.x, high.y - low.y, tall), (low.x + high.x) / 2, (low.y + high.y) / 2, this.floorHeight + tall / 2);
      for (const p of places) add(new THREE.BoxGeometry(0.03 * s, 0.03 * s, p.z - top), p.x, p.y, (p.z + top) / 2);
    }
    this.world.add(group);
  }

  addJoints() {
    const half = (this.data.joints.length > 12 ? 0.05 : 0.1) * this.size;
    for (const joint of this.data.joints) {
      const parent = this.bodies[joint.body]?.object ?? this.world;
      const group = new THREE.Group();
      group.position.set(...joint.place);
      const axis = new THREE.Vector3(...joint.axis);
      const has_axis = axis.length() > 1e-9;
      if (has_axis) group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), axis.normalize());
      const line = new LineMaterial({
        linewidth: 1.4,
        dashed: true,
        dashSize: 0.022 * this.size,
        gapSize: 0.009 * this.size,
        transparent: true,
        opacity: 0.85,
      });
      const solid = new THREE.MeshBasicMaterial();
      this.painted.push((now) => {
        line.color.set(now.axis);
        solid.color.set(now.axis);
      });
      const marks = [];
      const mark = (geometry, z = 0, turned = false) => {
        const mesh = new THREE.Mesh(geometry, solid);
        mesh.position.z = z;
        if (turned) mesh.rotation.x = Math.PI;
        marks.push(mesh);
      };
      const s = this.size;
      const sliding = joint.kind === 'prismatic' || joint.kind === 'cylindrical';
      const turning = ['revolute', 'cylindrical', 'screw', 'continuous'].includes(joint.kind);
      if (has_axis) {
        group.add(lineOf([0, 0, -half, 0, 0, half], line).computeLineDistances());
        if (turning) {
          for (const z of [-0.62 * half, 0.62 * half]) mark(new THREE.TorusGeometry(0.011 * s, 0.0013 * s, 8, 40), z);
        }
        if (sliding) {
          const cone = new THREE.ConeGeometry(0.006 * s, 0.02 * s, 20).rotateX(Math.PI / 2);
          mark(cone, half);
          mark(cone, -half, true);
        }
      }
      if (!has_axis || !(turning || sliding)) mark(new THREE.SphereGeometry(0.008 * s, 20, 14));
      for (const mesh of marks) {
        mesh.userData = {text: () => `${joint.name} (${joint.kind})`, glow: new Map()};
        group.add(mesh);
        this.hoverable.push(mesh);
      }
      parent.add(group);
      this.layers.axes.push(group);
    }
  }

  /** The whole way pale, and the way up to now strong. */
  addTraces() {
    this.traces = [];
    const count = this.data.times.length;
    const colors = theme();
    this.bodies.forEach(({object, body}, number) => {
      if (!body.traced || body.poses.length < 14 || count < 2) return;
      // Between frames as the body itself moves, unless it turns so far from one to the next that nobody knows how.
      const parts = turnsFar(body.poses) ? 1 : Math.min(8, Math.max(1, Math.floor(4000 / count)));
      const length = (count - 1) * parts + 1;
      const path = new Float32Array(3 * length);
      const point = new THREE.Vector3();
      for (let k = 0; k < length; ++k) {
        const index = Math.floor(k / parts);
        setPose(object, body.poses, {index, part: k / parts - index});  // where it is not known: as before
        point.set(...body.trace).applyQuaternion(object.quaternion).add(object.position);
        point.toArray(path, 3 * k);
      }
      const own = bodyColor(this.data, number, colors);
      const pale = new LineMaterial({linewidth: 1.2, transparent: true, opacity: 0.28, depthWrite: false, color: own});
      const strong = new LineMaterial({linewidth: 2.4, color: own, transparent: true, opacity: 0.95});
      const all = lineOf(path, pale);
      const past = lineOf(path, strong);
      const head = lineOf([0, 0, 0, 0, 0, 0], strong);
      for (const line of [all, past, head]) line.frustumCulled = false;
      this.world.add(all, past, head);
      this.layers.traces.push(all, past, head);
      this.traces.push({object, body, path, parts, past, head});
    });
  }

  /** Where the ends of a link are; the bodies are as they were placed last. */
  endsOf(link) {
    return link.places.map((place, k) => {
      const point = new THREE.Vector3(...place);
      return this.bodies[link.bodies[k]]?.object.localToWorld(point) ?? point;
    });
  }

  /** Springs as coils, actuators as a cylinder with its piston rod, rods and slides as they are. */
  addLinks() {
    const s = this.size;
    const least = new Map(this.data.links.map((link) => [link, Infinity]));
    const frames = this.data.times.length;
    for (let index = 0; index < frames; index += Math.max(1, Math.floor(frames / 150))) {
      this.placeBodies({index, part: 0});
      for (const link of this.data.links) {
        const [a, b] = this.endsOf(link);
        least.set(link, Math.min(least.get(link), a.distanceTo(b)));
      }
    }
    const bar = (radius) => new THREE.CylinderGeometry(radius, radius, 1, 24).translate(0, 0.5, 0);
    this.links = this.data.links.map((link) => {
      const object = new THREE.Group();
      const entry = {link, object, stretched: [], length: 0};
      const material = new THREE.MeshStandardMaterial({roughness: 0.45, metalness: 0.15});
      this.painted.push((now) => material.color.set(link.kind === 'slide' ? now.axis : now.link));
      const add = (geometry, length) => {
        const mesh = new THREE.Mesh(geometry, material);
        mesh.castShadow = mesh.receiveShadow = link.kind !== 'slide';
        mesh.userData = {
          text: () => `${link.name}, ${quantityText(entry.length, 'm')}`,
          glow: new Map([[0, material]]),
        };
        if (length) mesh.scale.y = length;
        else entry.stretched.push(mesh);
        object.add(mesh);
        this.hoverable.push(mesh);
      };
      const shortest = least.get(link);
      if (link.kind === 'spring') add(coilOf(0.016 * s, 0.003 * s, Math.max(shortest, 0.05 * s)));
      if (link.kind === 'rod') add(bar(0.008 * s));
      if (link.kind === 'slide') add(bar(0.002 * s));
      if (link.kind === 'actuator') {
        add(bar(0.007 * s));
        if (shortest > 0.02 * s && shortest < Infinity) add(bar(0.014 * s), 0.65 * shortest);
      }
      this.world.add(object);
      return entry;
    });
  }

  setLinks() {
    for (const entry of this.links) {
      const {link, object, stretched} = entry;
      const [a, b] = this.endsOf(link);
      entry.length = a.distanceTo(b);
      object.visible = entry.length > 1e-4 * this.size && link.bodies.every((body) => this.bodies[body]?.object.visible ?? true);
      if (!object.visible) continue;
      object.position.copy(a);
      object.quaternion.setFromUnitVectors(along, b.sub(a).divideScalar(entry.length));
      for (const mesh of stretched) mesh.scale.y = entry.length / (mesh.geometry.userData.length ?? 1);
    }
  }

  addArrows() {
    const s = this.size;
    const shaft_geometry = new THREE.CylinderGeometry(1, 1, 1, 24).translate(0, 0.5, 0);
    const head_geometry = new THREE.ConeGeometry(1, 1, 32).translate(0, 0.5, 0);
    const longest = {false: 0, true: 0};  // of forces, of torques
    for (const {torque, vectors} of this.data.arrows) {
      for (let k = 0; k + 2 < vectors.length; k += 3) {
        const length = Math.hypot(vectors[k], vectors[k + 1], vectors[k + 2]);
        if (length > longest[torque]) longest[torque] = length;
      }
    }
    this.arrows = this.data.arrows.map((arrow) => {
      const material = new THREE.MeshStandardMaterial({roughness: 0.6});
      this.painted.push((now) => material.color.set(arrow.torque ? now.torque : now.arrow));
      const shaft = new THREE.Mesh(shaft_geometry, material);
      const heads = Array.from({length: arrow.torque ? 2 : 1}, () => new THREE.Mesh(head_geometry, material));
      const object = new THREE.Group();
      object.add(shaft, ...heads);
      const entry = {arrow, object, shaft, heads, length: 0};
      // Without a scale of their own, the longest takes a quarter of the room.
      const most = longest[arrow.torque];
      entry.scale = arrow.scale > 0 ? arrow.scale : most > 0 ? (0.25 * s) / most : 0;
      const text = () => `${arrow.name} = ${quantityText(entry.length, arrow.torque ? 'N*m' : 'N')}`;
      for (const mesh of [shaft, ...heads]) {
        mesh.castShadow = true;
        mesh.userData = {text, glow: new Map([[0, material]])};
        this.hoverable.push(mesh);
      }
      this.world.add(object);
      this.layers.arrows.push(object);
      return entry;
    });
  }

  paint() {
    const colors = theme();
    for (const call of this.painted) call(colors);
    this.dirty = true;
  }

  /** Shows or hides one of the layers. */
  show(layer, shown) {
    for (const object of this.layers[layer]) object.visible = shown;
    this.hidden = {...this.hidden, [layer]: !shown};
    this.setTime(this.time);
  }

  setTime(time) {
    this.time = time;
    const frame = frameAt(this.data.times, time);
    this.placeBodies(frame);
    const point = new THREE.Vector3();
    for (const {object, body, path, parts, past, head} of this.traces) {
      const drawn = Math.floor((frame.index + frame.part) * parts);
      past.geometry.instanceCount = drawn;
      past.visible = drawn > 0 && !this.hidden?.traces;
      point.set(...body.trace).applyMatrix4(object.matrixWorld);
      const at = 3 * drawn;
      const segment = head.geometry.attributes.instanceStart.data;
      segment.array.set([path[at], path[at + 1], path[at + 2], point.x, point.y, point.z]);
      segment.needsUpdate = true;
    }
    this.setLinks();
    this.setArrows(frame);
    this.dirty = true;
  }

  placeBodies(frame) {
    for (const {object, body} of this.bodies) {
      object.visible = setPose(object, body.poses, frame);
      object.updateMatrixWorld(true);
    }
  }

  setArrows(frame) {
    const offset = new THREE.Vector3();
    for (const entry of this.arrows) {
      const {arrow, object, shaft, heads} = entry;
      const count = Math.floor(arrow.vectors.length / 3);
      const at = 3 * Math.min(frame.index, count - 1);
      const v = new THREE.Vector3().fromArray(arrow.vectors, Math.max(at, 0));
      if (frame.part > 0 && at + 5 < arrow.vectors.length) {
        v.lerp(new THREE.Vector3().fromArray(arrow.vectors, at + 3), frame.part);
      }
      const size = v.length();
      const drawn = size * entry.scale;
      entry.length = size;
      const body = this.bodies[arrow.body]?.object;
      const seen = count > 0 && Number.isFinite(drawn) && drawn > 1e-4 * this.size;
      object.visible = seen && (body?.visible ?? true) && !this.hidden?.arrows;
      if (!object.visible) continue;
      object.position.set(...arrow.place);
      if (body) body.localToWorld(object.position);
      object.position.add(offset.set(...arrow.offset));
      object.quaternion.setFromUnitVectors(along, v.divideScalar(size));
      const tip = Math.min(0.045 * this.size, 0.45 * drawn);
      const thick = Math.min(0.0055 * this.size, 0.08 * drawn);
      shaft.scale.set(thick, drawn - tip, thick);
      heads.forEach((head, k) => {
        head.position.y = drawn - tip - 0.6 * tip * k;
        head.scale.set(2.5 * thick, tip, 2.5 * thick);
      });
    }
  }

  /** Looks at all of it: 'iso', 'front', 'side' or 'top'. */
  look(from) {
    const extent = this.box.getSize(new THREE.Vector3());
    const directions = {front: [0, -1, 0], side: [1, 0, 0], top: [0, -1e-4, 1]};
    let direction = directions[from];
    if (!direction) {
      // A flat mechanism is seen mostly across its plane.
      const flat = 0.45 * Math.max(extent.x, extent.y);
      direction = extent.y < flat ? [0.5, -1, 0.36] : extent.x < flat ? [1, -0.5, 0.36] : [0.75, -1, 0.62];
    }
    this.from = from;
    this.moved = false;
    const back = this.fromBasis(new THREE.Vector3(...direction)).normalize();
    const right = new THREE.Vector3().crossVectors(this.basis.w, back).normalize();
    const above = new THREE.Vector3().crossVectors(back, right);
    const tall = 0.84 * Math.tan((fieldOfView * Math.PI) / 360);  // title and buttons are above
    const wide = (tall / 0.84) * 0.9 * this.camera.aspect;
    const target = this.center.clone();
    let distance = 0;
    // As near as all of it can be seen, then its picture into the middle; again, since that changes how near.
    for (let round = 0; round < 4; ++round) {
      const offset = new THREE.Vector3();
      distance = 0.05 * this.size;
      for (const point of this.points) {
        offset.subVectors(point, target);
        const across = Math.max(Math.abs(offset.dot(right)) / wide, Math.abs(offset.dot(above)) / tall);
        distance = Math.max(distance, offset.dot(back) + across);
      }
      if (round === 3) break;
      const low = [Infinity, Infinity];
      const high = [-Infinity, -Infinity];
      for (const point of this.points) {
        offset.subVectors(point, target);
        const depth = distance - offset.dot(back);
        [right, above].forEach((axis, k) => {
          const seen = offset.dot(axis) / depth;
          low[k] = Math.min(low[k], seen);
          high[k] = Math.max(high[k], seen);
        });
      }
      target.addScaledVector(right, (distance * (low[0] + high[0])) / 2);
      target.addScaledVector(above, (distance * (low[1] + high[1])) / 2);
    }
    target.addScaledVector(above, 0.05 * tall * distance);
    this.camera.position.copy(target).addScaledVector(back, distance);
    this.controls.target.copy(target);
    this.controls.update();
    this.dirty = true;
  }

  resize() {
    const width = Math.max(this.room.clientWidth, 1);
    const height = Math.max(this.room.clientHeight, 1);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.from && !this.moved) this.look(this.from);
    this.dirty = true;
  }

  listenToPointer() {
    const caster = new THREE.Raycaster();
    const pointer = new THREE.Vector2();
    const canvas = this.renderer.domElement;
    const leave = () => {
      for (const material of this.glowing || []) material.emissive.set(0x000000);
      this.glowing = [];
      this.tooltip.hidden = true;
      this.dirty = true;
    };
    canvas.addEventListener('pointerleave', leave);
    canvas.addEventListener('pointermove', (event) => {
      const bounds = canvas.getBoundingClientRect();
      const x = event.clientX - bounds.left;
      const y = event.clientY - bounds.top;
      pointer.set((2 * x) / bounds.width - 1, 1 - (2 * y) / bounds.height);
      caster.setFromCamera(pointer, this.camera);
      const visible = this.hoverable.filter((mesh) => {
        for (let object = mesh; object; object = object.parent) {
          if (!object.visible) return false;
        }
        return true;
      });
      const hit = event.buttons ? null : caster.intersectObjects(visible, false)[0];
      leave();
      if (!hit) return;
      const {text, glow} = hit.object.userData;
      this.glowing = [...glow.values()];
      for (const material of this.glowing) material.emissive.set(0x2a2a2a);
      this.tooltip.textContent = text();
      this.tooltip.hidden = false;
      const left = Math.min(x + 14, bounds.width - this.tooltip.offsetWidth - 8);
      this.tooltip.style.left = `${left}px`;
      this.tooltip.style.top = `${y > 40 ? y - 34 : y + 18}px`;
    });
  }

  /** Where directions of the world point on the screen: [x, y, depth] each, for the little cross in the corner. */
  onScreen(directions) {
    const turn = this.camera.quaternion.clone().invert();
    return directions.map((direction) => {
      const p = new THREE.Vector3(...direction).normalize().applyQuaternion(turn);
      return [p.x, -p.y, p.z];
    });
  }

  /** Draws if something has changed; true if it did. */
  draw() {
    this.controls.update();
    if (!this.dirty) return false;
    this.dirty = false;
    const distance = this.camera.position.distanceTo(this.controls.target);
    this.camera.near = Math.max(distance / 200, 1e-6 * this.size);
    this.camera.far = distance + 12 * this.size;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.world, this.camera);
    return true;
  }
}
