export {
  amongValues,
  atLeast,
  atMost,
  compare,
  comparedOnIndex,
  each,
  equal,
  equalOrWord,
  equalTested,
  type Filter,
  type FilterAmong,
  type Filters,
  hasNoValue,
  negated,
  onColumn,
  onIndex,
  onText,
  predicatesOf,
  semiJoin,
  testColumn,
} from './filters.ts'
export {
  type Direction,
  nullsLast,
  type Order,
  type OrderOf,
  type Segment,
  walk,
  walkById,
  walkColumn,
  walkNullsLast,
} from './order.ts'
export { countByKey, countUpTo, type ListPage, readPage, type Slice } from './page.ts'
export { rowsOn } from './path.ts'
export {
  type DrivingTable,
  idOf,
  type ListContext,
  never,
  not,
  oneOf,
  type Predicate,
  type PredicateUse,
  type TestUse,
} from './predicate.ts'
export type { ListQuery, Sample } from './query.ts'
export { allOf, apart, type Condition, isDriven, isInSet, joinNext, lookUp } from './reading.ts'
export { fewBeside, thresholds } from './thresholds.ts'
