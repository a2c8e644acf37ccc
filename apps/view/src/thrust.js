// The line of thrust in the scene: tubes through the bodies, a ball where the force of each joint acts, borders of the joints.
import {
  BufferAttribute, BufferGeometry, Color, CylinderGeometry, DynamicDrawUsage, InstancedMesh, LineBasicMaterial, LineSegments,
  Matrix4, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3,
} from "three";
import { jointsOf, thrustOf } from "./joints.js";
import { ramp } from "./palette.js";

const UP = new Vector3(0, 0, 1), LINE = 0xb2182b, BORDER = 0x1c2430;

export class Thrust {
  /** `unit`: size of a body, m. */
  constructor(scene, unit) {
    this.scene = scene;
    this.unit = unit;
    this.joints = [];
  }

  // meshes for as many joints, each with two tubes and as many corners as there are
  makeRoom(tubes, balls, corners) {
    if (this.tubes && tubes <= this.room.tubes && balls <= this.room.balls && corners <= this.room.corners) return;
    for (const old of [this.tubes, this.balls, this.borders]) {
      if (!old) continue;
      this.scene.remove(old);
      old.geometry.dispose();
      old.material.dispose();
      old.dispose?.();
    }
    this.room = { tubes: 2 * tubes, balls: 2 * balls, corners: 2 * corners };
    // what lies inside is seen through the bodies
    const inside = (geometry, count, colour) => {
      const mesh = new InstancedMesh(geometry, new MeshStandardMaterial({ color: colour, roughness: 0.6, depthTest: false, transparent: true }), count);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.renderOrder = 11;
      this.scene.add(mesh);
      return mesh;
    };
    this.tubes = inside(new CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5), this.room.tubes, LINE);
    this.balls = inside(new SphereGeometry(1, 12, 8), this.room.balls, 0xffffff);
    this.balls.setColorAt(0, new Color());
    this.balls.renderOrder = 12;
    this.borders = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: BORDER, depthTest: false, transparent: true, opacity: 0.7 }));
    this.borders.geometry.setAttribute("position", new BufferAttribute(new Float32Array(6 * this.room.corners), 3));
    this.borders.frustumCulled = false;
    this.scene.add(this.borders);
  }

  /** The joints of the rows of a frame; `carries` says which bodies have lines. */
  show(rows, carries) {
    this.joints = jointsOf(rows);
    const lines = thrustOf(this.joints, carries), corners = this.joints.reduce((sum, { border }) => sum + border.length, 0);
    const most = this.joints.reduce((sum, { size }) => Math.max(sum, size), 0), m = new Matrix4(), q = new Quaternion(), colour = new Color();
    this.makeRoom(Math.max(lines.length, 1), Math.max(this.joints.length, 1), Math.max(corners, 1));
    lines.forEach(({ from, to, size }, k) => {
      const start = new Vector3(...from), way = new Vector3(...to).sub(start), length = way.length(), thick = 0.05 * this.unit * Math.sqrt(size / most);
      q.setFromUnitVectors(UP, length > 0 ? way.multiplyScalar(1 / length) : UP);
      this.tubes.setMatrixAt(k, m.compose(start, q, new Vector3(thick, thick, length)));
    });
    this.joints.forEach((joint, k) => {
      const radius = 0.11 * this.unit * Math.sqrt(joint.size / most);
      this.balls.setMatrixAt(k, m.compose(new Vector3(...joint.point), q.identity(), new Vector3(radius, radius, radius)));
      this.balls.setColorAt(k, colour.set(ramp(Math.min(joint.eccentricity, 1))));
    });
    this.drawBorders();
    this.tubes.count = lines.length;
    this.balls.count = this.joints.length;
    this.tubes.instanceMatrix.needsUpdate = this.balls.instanceMatrix.needsUpdate = this.balls.instanceColor.needsUpdate = true;
    this.visible(true);
  }

  drawBorders() {
    const to = this.borders.geometry.attributes.position;
    let at = 0;
    for (const { border } of this.joints)
      border.forEach((corner, i) => {
        to.array.set(corner, at);
        to.array.set(border[(i + 1) % border.length], at + 3);
        at += 6;
      });
    to.needsUpdate = true;
    this.borders.geometry.setDrawRange(0, at / 3);
  }

  visible(on) {
    for (const one of [this.tubes, this.balls, this.borders]) if (one) one.visible = on;
  }

  /** The joint whose force acts farthest from its middle, or null; forces of less than a thousandth do not count. */
  farthest() {
    const least = 1e-3 * Math.max(0, ...this.joints.map(({ size }) => size));
    return this.joints.filter(({ size }) => size > least).reduce((best, joint) => (best === null || joint.eccentricity > best.eccentricity ? joint : best), null);
  }
}
