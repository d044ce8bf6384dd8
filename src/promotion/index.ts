export { promote } from './promote.ts'
export { sentencesOf } from './report.ts'
