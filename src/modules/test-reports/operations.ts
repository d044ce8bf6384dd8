import { reading } from '../../api/index.ts'
import { operation } from '../../platform/index.ts'
import { pipelineId } from '../pipelines/index.ts'
import { project } from '../projects/index.ts'
import { TestReport, TestReportSummary } from './present.ts'
import { reportTests, summariseTests } from './reports.ts'

const reads = {
  tag: 'Test reports',
  subject: project,
  method: 'GET',
  allow: 'read_pipelines',
  scopes: reading,
  params: pipelineId,
} as const

export const pipelinesTestReport = operation({
  ...reads,
  id: 'test_reports.get',
  contract: 'x.pipelines_test_report',
  path: '/projects/:id/pipelines/:pipeline_id/test_report',
  summary: 'Get the test report of a pipeline',
  description: 'The cases of the JUnit reports of the newest jobs.',
  result: [200, TestReport],
  run: ({ platform, subject, actor, params }) => reportTests(platform, subject, actor, params.pipeline_id),
})

export const pipelinesTestReportSummary = operation({
  ...reads,
  id: 'test_reports.summary',
  contract: 'x.pipelines_test_report_summary',
  path: '/projects/:id/pipelines/:pipeline_id/test_report_summary',
  summary: 'Get the summary of the test report of a pipeline',
  result: [200, TestReportSummary],
  run: ({ platform, subject, actor, params }) => summariseTests(platform, subject, actor, params.pipeline_id),
})
