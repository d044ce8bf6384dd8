export { valuesByKey, valuesByName } from './grouping.ts'
