export { ImportStopped } from './clients/errors.ts'
export { reportText } from './report.ts'
export { runImport } from './run.ts'
