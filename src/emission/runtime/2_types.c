/* SPDX-License-Identifier: Apache-2.0 */
/* ---- Types of what follows ------------------------------------------------------------------------------------ */
typedef void code(const model* m, const double* p, const int* s, double* r);
typedef struct entry {
  int slot, sign;
} entry;
typedef struct sum {
  int target, first, count;
} sum;
/* A piece of code with its instance: what it reads, and its parameters. */
typedef struct bound {
  int code, locals, parameters;
} bound;
/* What a parameter can be: within these, but not 0 or not a fraction where it says so. */
typedef struct parameter_bound {
  double least, most, above, below;
  int nonzero, whole;
} parameter_bound;
/*@if blocks*/
/* An equation of an implicit block: code that gives the residual, then its partial derivatives by the columns; or
   (code < 0) a sum. */
typedef struct block_row {
  int code, locals, parameters;
  int slot, entries, entry_count;
  int columns, column_count, first; /* first: of its partial derivatives */
} block_row;
enum { BLOCK_CONSTANT, BLOCK_LINEAR, BLOCK_NONLINEAR };
typedef struct block {
  int kind, n, unknowns, rows, entries, work, order;
  int tears, tear, inner, inner_count, rest;
  const char* text;
} block;
typedef struct block_inner {
  int row, column, entry;
} block_inner;
/*@end*/
/*@if switches*/
enum { SWITCH_ZERO, SWITCH_WHOLE, SWITCH_KNOTS };
typedef struct known_switch {
  int kind, code, parameters, table;
} known_switch;
/*@end*/
/*@if events*/
enum { RELATION_LESS, RELATION_LESS_EQUAL, RELATION_LEVEL };
typedef struct relation {
  bound b;
  int kind, slot;
} relation;
typedef struct clock_ {
  double start, period, next;
  int slot;
} clock_;
typedef struct pre {
  int slot, of; /* the value of `of` before the event */
} pre;
typedef struct action {
  bound b;
  int target, reinit;
} action;
typedef struct when {
  bound b;
  int is_else, first, count;
  const char* stops; /* null: it does not */
} when;
/*@end*/
/*@if assertions*/
typedef struct assertion {
  bound b;
  const char* text;
} assertion;
/*@end*/
/*@if delays*/
typedef struct delay {
  bound b;
  int slot;
  double time, begin, before; /* by how much, at the parameters emitted; the value at the beginning, and before it */
} delay;
/*@end*/
