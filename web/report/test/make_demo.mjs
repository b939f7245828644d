// SPDX-License-Identifier: Apache-2.0
// Writes demo.json, a report with every kind of item: a DC motor drives a load over a gear.
//   node make_demo.mjs > demo.json
const p = {R: 0.42, L: 6e-4, K: 0.062, Jm: 2.1e-4, Jl: 0.08, n: 5, b: 0.02, kp: 0.5, ki: 2, u: 36, C: 55, Rth: 2.2, eta: 0.95};
const round = (x, digits = 4) => Number(x.toPrecision(digits));

// ---- the numbers: explicit steps of 20 µs, one sample in 5 ms ----
const J = p.Jm + p.Jl / p.n ** 2;
const b = p.b / p.n ** 2;
let [i, w, phi, sum, T] = [0, 0, 0, 0, 0];
const times = [];
const log = {};
const keep = (name, value) => (log[name] ??= []).push(round(value));
const dt = 2e-5;
const events = [{time: 0.1, text: 'step: reference goes to 30 rad/s'}, {time: 0.9, text: 'step: reference goes to 0'}];
for (let k = 0; k <= 80000; ++k) {
  const t = k * dt;
  const reference = t < 0.1 ? 0 : t < 0.9 ? 30 : 0;
  const error = (reference - w / p.n) * p.n;
  const wished = p.kp * error + p.ki * sum;
  const u = Math.max(-p.u, Math.min(p.u, wished));
  if (u === wished) sum += error * dt;
  const di = (u - p.R * i - p.K * w) / p.L;
  const dw = (p.K * i - b * w) / J;
  const heat = p.R * i * i;
  const lost = T / p.Rth;
  if (k % 250 === 0) {
    const out = p.K * i * w - p.Jm * w * dw;
    times.push(round(t));
    keep('supply', -u * i); keep('driveIn', u * i); keep('drive', -u * i); keep('motorIn', u * i);
    keep('motor', -out); keep('gearIn', out); keep('gear', -out); keep('bearing', b * w * w); keep('load', out - b * w * w);
    keep('motorHeat', -heat); keep('housing', heat - lost); keep('ambient', lost);
    keep('i', i); keep('u', u); keep('w', w / p.n); keep('phi', phi / p.n); keep('reference', reference); (log.T ??= []).push(round(293.15 + T, 7));
    keep('coil', 0.5 * p.L * i * i + 0.5 * p.Jm * w * w); keep('kinetic', 0.5 * (p.Jl / p.n ** 2) * w * w); keep('warm', p.C * T);
  }
  i += di * dt; w += dw * dt; phi += w * dt; T += (heat - lost) / p.C * dt;
}

// ---- the symbols ----
const d = (component, latex) => `\\htmlData{component=${component}}{${latex}}`;
const [ia, R, L, K] = [d('motor', 'i_{a}'), d('motor', 'R_{a}'), d('motor', 'L_{a}'), d('motor', 'k_{m}')];
const Jm = d('motor', 'J_{r}');
const Jl = d('load', 'J_{\\mathrm{load}}');
const wl = d('load', '\\omega_{\\mathrm{load}}');
const n = d('gear', 'n');
const bb = d('bearing', 'b');
const ub = d('supply', 'u_{\\mathrm{bat}}');
const duty = d('controller', 'y_{\\mathrm{duty}}');
const Th = d('housing', 'T_{h}');
const Ta = d('ambient', 'T_{\\mathrm{amb}}');
const G = d('ambient', 'R_{\\mathrm{th}}');
const C = d('housing', 'C_{h}');
const xi = d('controller', '\\xi');
const ref = d('controller', '\\omega_{\\mathrm{ref}}');

// ---- the drawing ----
const nodes = {a: [90, 80], g: [90, 300], c: [260, 80], s: [430, 80], s0: [430, 300], l: [600, 80], h: [770, 80], h0: [770, 300]};
const edges = [
  ['g', 'a', 'supply', 'supply', 'electrical', -46], ['a', 'g', 'drive', 'drive.in', 'electrical', -46], ['g', 'c', 'drive', 'drive.out', 'electrical', -22],
  ['c', 'g', 'motor', 'motor.a', 'electrical', -46], ['s0', 's', 'motor', 'motor.shaft', 'rotational', -34], ['s', 's0', 'gear', 'gear.in', 'rotational', -34],
  ['s0', 'l', 'gear', 'gear.out', 'rotational', -20], ['l', 's0', 'bearing', 'bearing', 'rotational', -22], ['l', 's0', 'load', 'load', 'rotational', -78],
  ['h0', 'h', 'motor', 'motor.heat', 'thermal', -70], ['h', 'h0', 'housing', 'housing', 'thermal', 8], ['h', 'h0', 'ambient', 'ambient', 'thermal', -66],
];
const colors = {electrical: '#1f6fd6', rotational: '#e07b00', thermal: '#d23b2f'};
const tree = new Set(['supply', 'drive.out', 'motor.shaft', 'load', 'housing']);
const drawn = edges.map(([from, to, owner, name, domain, bend]) => {
  const [[x1, y1], [x2, y2]] = [nodes[from], nodes[to]];
  const size = Math.hypot(x2 - x1, y2 - y1);
  const [nx, ny] = [(y2 - y1) / size, -(x2 - x1) / size];
  const [cx, cy] = [(x1 + x2) / 2 + 2 * bend * nx, (y1 + y2) / 2 + 2 * bend * ny];
  const [mx, my] = [(x1 + 2 * cx + x2) / 4, (y1 + 2 * cy + y2) / 4];
  const cut = ([x, y], r) => {
    const far = Math.hypot(cx - x, cy - y);
    return [x + (cx - x) * r / far, y + (cy - y) * r / far].map((v) => v.toFixed(1)).join(' ');
  };
  return `<g data-component="${owner}"><path d="M${cut([x1, y1], 7)}Q${cx.toFixed(1)} ${cy.toFixed(1)} ${cut([x2, y2], 10)}" fill="none" stroke="${colors[domain]}" ` +
      `stroke-width="${tree.has(name) ? 2.6 : 1.3}" marker-end="url(#arrow-${domain})"/><text x="${mx.toFixed(1)}" y="${(my + 4).toFixed(1)}" text-anchor="middle" ` +
      `stroke="white" stroke-width="5" paint-order="stroke">${name}</text></g>`;
});
const markers = Object.entries(colors).map(([domain, color]) =>
  `<marker id="arrow-${domain}" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 1L9 5L0 9z" fill="${color}"/></marker>`);
const dots = Object.entries(nodes).map(([name, [x, y]]) =>
  `<circle cx="${x}" cy="${y}" r="5.5" fill="${name.endsWith('0') || name === 'g' ? '#333333' : 'white'}" stroke="black" stroke-width="1.6"/>`);
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="20 50 870 290" width="870" height="290"><style>text { font-family: sans-serif; font-size: 12px; }</style>` +
    `<defs>${markers.join('')}</defs>${drawn.join('')}${dots.join('')}</svg>`;

// ---- which variable stands in which equation ----
const variables = [
  ['supply.u', 'supply'], ['controller.error', 'controller'], ['controller.duty', 'controller'], ['drive.u', 'drive'], ['motor.v_R', 'motor'], ['motor.e', 'motor'], ['der(motor.i)', 'motor'],
  ['bearing.tau', 'bearing'], ['motor.tau', 'motor'], ['gear.tau', 'gear'], ['load.alpha', 'load'], ['motor.heat', 'motor'], ['ambient.Q_flow', 'ambient'], ['der(housing.T)', 'housing'],
];
const relations = [
  ['supply.u = 36', 'supply', [0]], ['controller.error = reference - encoder.w', 'controller', [1]], ['controller.duty = limit(kp*error + ki*xi, -1, 1)', 'controller', [1, 2]],
  ['drive.u = duty*supply.u', 'drive', [0, 2, 3]], ['motor.v_R = R*i', 'motor', [4]], ['motor.e = k*w', 'motor', [5]], ['L*der(i) = drive.u - v_R - e', 'motor', [3, 4, 5, 6]],
  ['bearing.tau = b*load.w', 'bearing', [7]], ['motor.tau = k*i - J_r*n*load.alpha', 'motor', [8, 10]], ['gear.tau = n*motor.tau', 'gear', [8, 9]],
  ['J*load.alpha = gear.tau - bearing.tau', 'load', [7, 9, 10]], ['motor.heat = v_R*i', 'motor', [4, 11]], ['ambient.Q_flow = (housing.T - T_amb)/R_th', 'ambient', [12]],
  ['C*der(housing.T) = motor.heat - ambient.Q_flow', 'housing', [11, 12, 13]],
];
const shuffled = [6, 3, 10, 0, 13, 8, 4, 2, 9, 11, 1, 7, 5, 12];
const position = (list) => new Map(list.map((value, k) => [value, k]));
function pattern(title, rowOrder, columnOrder, blocks) {
  const at = position(columnOrder);
  return {
    kind: 'pattern', title, rows: rowOrder.map((k) => ({text: relations[k][0], component: relations[k][1]})),
    columns: columnOrder.map((k) => ({text: variables[k][0], component: variables[k][1]})),
    cells: rowOrder.flatMap((k, row) => relations[k][2].map((column) => [row, at.get(column)])), blocks,
  };
}
const inOrder = variables.map((_, k) => k);
const blocks = [
  {first: 0, size: 1, kind: 'explicit'}, {first: 1, size: 1, kind: 'sum'}, {first: 2, size: 1, kind: 'software'}, {first: 3, size: 1, kind: 'nonlinear'}, {first: 4, size: 1, kind: 'explicit'},
  {first: 5, size: 1, kind: 'explicit'}, {first: 6, size: 1, kind: 'sum'}, {first: 7, size: 1, kind: 'explicit'}, {first: 8, size: 3, kind: 'linear_constant'}, {first: 11, size: 1, kind: 'explicit'},
  {first: 12, size: 1, kind: 'linear'}, {first: 13, size: 1, kind: 'sum'},
];

const components = [
  {id: 'supply', class: 'VoltageSource', description: 'Battery of 36 V', domains: ['electrical'], line: 8},
  {id: 'drive', class: 'HBridge', description: 'Four-quadrant amplifier, averaged over a PWM period', domains: ['electrical', 'signal'], line: 9},
  {id: 'motor', class: 'DCMotor', description: 'Permanent-magnet DC motor', domains: ['electrical', 'rotational', 'thermal'], line: 10},
  {id: 'gear', class: 'IdealGear', description: 'Gear without losses', domains: ['rotational'], line: 13},
  {id: 'bearing', class: 'ViscousFriction', description: 'Bearing of the load', domains: ['rotational'], line: 14},
  {id: 'load', class: 'Inertia', description: 'What is to be moved', domains: ['rotational'], line: 15},
  {id: 'housing', class: 'HeatCapacity', description: 'Housing of the motor', domains: ['thermal'], line: 17},
  {id: 'ambient', class: 'ThermalResistance', description: 'Convection to the room', domains: ['thermal'], line: 18},
  {id: 'encoder', class: 'SpeedSensor', description: 'Measures the speed of the load', domains: ['rotational', 'signal'], line: 20},
  {id: 'controller', class: 'PI', description: 'Speed controller with limited output', domains: ['signal'], line: 21},
];

const parameter = (owner, latex, value, unit, text) => ({cells: [`\`${owner}\``, {latex}, value, unit, text], component: owner});
const source = `system DriveDemo {
  supply     : VoltageSource(u = 36 V)
  drive      : HBridge
  motor      : DCMotor(R = 0.42 ohm, L = 0.6 mH, k = 0.062 V*s, J = 2.1e-4 kg*m^2)
  gear       : IdealGear(n = 5)
  load       : Inertia(J = 0.08 kg*m^2)
  controller : PI(kp = 0.5, ki = 2)
}`;
const curve = (name, unit, component, values) => ({name, unit, component, values});
const powers = (list) => list.map(([component, key]) => ({component, power: log[key]}));
const gap = log.T.map((value, k) => (k > 200 && k < 216 ? null : value));

const report = {
  schema: 'cotree.report/1', title: 'Drive demo', description: 'A DC motor moves a load over a gear, under speed control.', file: 'drive_demo.cot', version: '0.1.0', components,
  sections: [
    {id: 'overview', title: 'Overview', items: [
      {kind: 'text', text: 'The system has 10 components in three physical domains, 14 equations and 4 states. Its largest block holds 3 equations, all of them linear with constant coefficients, so that no iteration is needed while it runs.'},
      {kind: 'list', items: ['`motor` couples the electrical, the rotational and the thermal part; its loss $R_{a} i_{a}^2$ heats `housing`.', 'The inertias of `motor` and `load` are rigidly joined by `gear`: one of them is dependent and costs no state.', 'The controller is sampled, with its output held at $\\pm 36\\,\\mathrm{V}$.']},
      {kind: 'table', columns: [{title: 'component', align: 'left'}, {title: 'class', align: 'left'}, {title: 'what it is', align: 'left'}, {title: 'line', align: 'right'}],
        rows: components.map(({id, class: type, description, line}) => ({cells: [`\`${id}\``, type, description, String(line)], component: id}))},
      {kind: 'details', title: 'Source', items: [{kind: 'code', text: source}]},
    ]},
    {id: 'graph', title: 'System graph', items: [
      {kind: 'text', text: 'One graph for each domain. Thick edges are branches of the normal tree, thin ones are chords.'},
      {kind: 'graph', title: 'Electrical, rotational, thermal', svg: drawing},
    ]},
    {id: 'parameters', title: 'Parameters', items: [
      {kind: 'table', columns: [{title: 'component'}, {title: 'symbol'}, {title: 'value', align: 'right'}, {title: 'unit'}, {title: 'meaning'}], rows: [
        parameter('supply', 'u_{\\mathrm{bat}}', '36', 'V', 'voltage'), parameter('motor', 'R_{a}', '0.42', 'Ω', 'resistance of the armature'), parameter('motor', 'L_{a}', '0.6', 'mH', 'inductance of the armature'),
        parameter('motor', 'k_{m}', '0.062', 'V·s', 'motor constant'), parameter('motor', 'J_{r}', '2.1e-4', 'kg·m²', 'inertia of the rotor'), parameter('gear', 'n', '5', '', 'ratio'),
        parameter('bearing', 'b', '0.02', 'N·m·s', 'friction'), parameter('load', 'J_{\\mathrm{load}}', '0.08', 'kg·m²', 'inertia'), parameter('housing', 'C_{h}', '55', 'J/K', 'heat capacity'), parameter('ambient', 'R_{\\mathrm{th}}', '2.2', 'K/W', 'thermal resistance')]},
    ]},
    {id: 'equations', title: 'Equations', items: [
      {kind: 'text', text: 'The smallest set: four differential equations, and what they need. Point at a symbol to see all places where its component has a part.'},
      {kind: 'equations', rows: [
        {left: `\\frac{d ${ia}}{dt}`, right: `\\frac{1}{${L}} \\left( ${duty}\\, ${ub} - ${R}\\, ${ia} - ${K}\\, ${n}\\, ${wl} \\right)`, component: 'motor', label: '1'},
        {left: `\\dot{${wl}}`, right: `\\frac{${n}\\, ${K}\\, ${ia} - ${bb}\\, ${wl}}{${Jl} + ${n}^{2} ${Jm}}`, component: 'load', label: '2', note: 'both inertias, on the side of the load'},
        {left: `\\dot{${Th}}`, right: `\\frac{1}{${C}} \\left( ${R}\\, ${ia}^{2} - \\frac{${Th} - ${Ta}}{${G}} \\right)`, component: 'housing', label: '3'},
        {left: `\\dot{${xi}}`, right: `${ref} - ${wl}`, component: 'controller', label: '4', note: 'held while the output is at its limit'},
        {left: duty, right: `\\operatorname{limit}\\left( k_p \\left( ${ref} - ${wl} \\right) + k_i\\, ${xi},\\, -1,\\, 1 \\right)`, component: 'controller', label: '5'},
        {left: '', right: `0 \\le ${d('supply', 'i_{\\mathrm{bat}}')} \\perp ${ub} \\ge 0`, component: 'supply', note: 'a whole relation'},
      ]},
      {kind: 'details', title: 'Constraint equations of the graph', items: [
        {kind: 'equations', rows: [
          {left: d('drive', 'u_{\\mathrm{drive}}'), right: `${R}\\, ${ia} + ${L}\\, \\frac{d ${ia}}{dt} + ${K}\\, ${n}\\, ${wl}`, component: 'motor', label: '6'},
          {left: d('motor', '\\tau_{\\mathrm{motor}}'), right: `${K}\\, ${ia} - ${Jm}\\, ${n}\\, \\dot{${wl}}`, component: 'motor', label: '7'},
          {left: `\\left( ${Jl} + ${n}^{2} ${Jm} \\right) \\ddot{${d('load', '\\varphi')}}`, right: Array.from({length: 9}, (_, k) => `${k % 2 ? '-' : '+'} ${d(['motor', 'gear', 'bearing'][k % 3], `a_{${k + 1}}`)} \\sin\\left( ${k + 1}\\, ${d('load', '\\varphi')} + \\psi_{${k + 1}} \\right)`).join(' '), component: 'load', label: '8', note: 'a long one, to scroll'},
          {left: 'x', right: '\\frac{1}{', label: '9', note: 'not a formula: shown as it is written'},
        ]},
      ]},
    ]},
    {id: 'state_space', title: 'State space', items: [
      {kind: 'text', text: 'Linearised at $t = 0.5\\,\\mathrm{s}$, with the states $i_{a}$, $\\omega_{\\mathrm{load}}$, $T_{h}$ and $\\xi$: $\\dot{x} = A x + B u$.', component: 'motor'},
      {kind: 'matrix', name: 'A', rows: [{latex: `\\dot{${ia}}`, component: 'motor'}, {latex: `\\dot{${wl}}`, component: 'load'}, {latex: `\\dot{${Th}}`, component: 'housing'}, {latex: `\\dot{${xi}}`, component: 'controller'}],
        columns: [{latex: ia, component: 'motor'}, {latex: wl, component: 'load'}, {latex: Th, component: 'housing'}, {latex: xi, component: 'controller'}],
        entries: [['-\\frac{R_a}{L_a}', '-\\frac{k_m n + k_p u_{\\mathrm{bat}}}{L_a}', '', '\\frac{k_i u_{\\mathrm{bat}}}{L_a}'], ['\\frac{n k_m}{J}', '-\\frac{b}{J}', '', ''], ['\\frac{2 R_a i_{a,0}}{C_h}', '', '-\\frac{1}{C_h R_{\\mathrm{th}}}', ''], ['', '-1', '', '']]},
    ]},
    {id: 'structure', title: 'Structure', items: [
      {kind: 'text', text: 'Each square is a variable in an equation. In order, all of them stand on or below the diagonal, but for those within a block.'},
      pattern('as written', shuffled, inOrder, []), pattern('in order', inOrder, inOrder, blocks),
    ]},
    {id: 'simulation', title: 'Simulation', items: [
      {kind: 'plot', title: 'Speed, voltage and current', x: {title: 'time', unit: 's', values: times}, curves: [curve('load.w', 'rad/s', 'load', log.w), curve('controller.reference', 'rad/s', 'controller', log.reference), curve('drive.u', 'V', 'drive', log.u), curve('motor.i', 'A', 'motor', log.i)], events},
      {kind: 'plot', title: 'Temperature of the housing', x: {title: 'time', unit: 's', values: times}, curves: [curve('housing.T', 'K', 'housing', gap)], events: []},
    ]},
    {id: 'energy', title: 'Energy', items: [
      {kind: 'energy', times, islands: [
        {name: 'electrical (supply)', components: powers([['supply', 'supply'], ['drive', 'driveIn']])}, {name: 'electrical (armature)', components: powers([['drive', 'drive'], ['motor', 'motorIn']])},
        {name: 'rotational (motor side)', components: powers([['motor', 'motor'], ['gear', 'gearIn']])}, {name: 'rotational (load side)', components: powers([['gear', 'gear'], ['bearing', 'bearing'], ['load', 'load']])},
        {name: 'thermal', components: powers([['motor', 'motorHeat'], ['housing', 'housing'], ['ambient', 'ambient']])}],
      stored: [{component: 'motor', values: log.coil}, {component: 'load', values: log.kinetic}, {component: 'housing', values: log.warm}]},
    ]},
  ],
};
process.stdout.write(`${JSON.stringify(report)}\n`);
