/**
 * How a predicate is used, of which the best form of a condition depends:
 * - `drives`: it finds the rows, so an index may serve it;
 * - `counts`: many rows are tested by it, so what it compares them with is computed once;
 * - `tests`: few rows are tested by it, or rows in the order of a list until a page is full, so what it needs is looked up for each.
 */
export type PredicateUse = 'drives' | 'counts' | 'tests'

/** The uses of a predicate that finds no rows. */
export type TestUse = Exclude<PredicateUse, 'drives'>
