import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'
import { forgetFailuresJob, readReportJob } from './recording.ts'

export { pipelinesTestReport, pipelinesTestReportSummary } from './operations.ts'
export { readUploadedReport } from './recording.ts'

/** The tests of pipelines, from the JUnit reports of their jobs (contract 26.6). */
export const testReports: Module = {
  name: 'test-reports',
  tags: { 'Test reports': 'The tests of pipelines, from the JUnit reports of their jobs.' },
  operations: Object.values(operations),
  jobs: [readReportJob, forgetFailuresJob],
}
