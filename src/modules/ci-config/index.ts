export type {
  CompiledConfig,
  ConfigInclude,
  JobDefinition,
  PipelineContext,
  PipelinePlan,
  PlannedJob,
} from './types.ts'
