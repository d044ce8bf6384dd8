import type { Module } from '../../platform/index.ts'
import * as lint from './lint/operations.ts'

export { deploymentTiers } from './jobs/environment.ts'
export { ciLintGet, ciLintPost } from './lint/operations.ts'
export { planAt, readConfigText } from './pipeline-plan.ts'
export { hasEnvironmentCharacters, planSentences } from './plan.ts'
export { predefinedVariables, slugOf } from './predefined.ts'
export type {
  ConfigCache,
  ConfigPages,
  ConfigVariable,
  JobDefinition,
  JobWhen,
  PipelineContext,
  PipelinePlan,
  PlannedJob,
} from './types.ts'
export { requestSource } from './types.ts'

/** Reading of `.gitlab-ci.yml` (contract 04, subset), and its validation. */
export const ciConfig: Module = {
  name: 'ci-config',
  tags: { 'CI lint': 'Validation of CI configurations.' },
  operations: Object.values(lint),
}
