/** A variable of a configuration. */
export type ConfigVariable = { key: string; value: string; raw: boolean; description?: string | undefined }

/** `image` and the entries of `services` (contract 04, ".gitlab-ci.yml subset"). */
export type ConfigImage = { name: string; entrypoint: readonly string[] | null; pullPolicy: readonly string[] | null }
export type ConfigService = ConfigImage & { alias: string | null; command: readonly string[] | null }

export type ConfigArtifacts = {
  name: string | null
  untracked: boolean
  paths: readonly string[]
  exclude: readonly string[]
  when: 'on_success' | 'on_failure' | 'always'
  /** As written, such as `30 days`; null: the instance's default. */
  expireIn: string | null
  access: 'all' | 'developer' | 'none'
  /** Paths by kind of report: `junit`, `dotenv` … */
  reports: Readonly<Record<string, readonly string[]>>
}

export type ConfigCache = {
  key: string | { files: readonly string[]; prefix: string | null }
  paths: readonly string[]
  untracked: boolean
  policy: 'pull-push' | 'pull' | 'push'
  when: 'on_success' | 'on_failure' | 'always'
  fallbackKeys: readonly string[]
}

export const environmentActions = ['start', 'prepare', 'stop', 'verify', 'access'] as const

/** `environment` of a job (contract 24, Environments in CI). Definitions that 0.1.0 has stored have the first three members alone. */
export type ConfigEnvironment = {
  name: string
  url: string | null
  action: (typeof environmentActions)[number]
  /** Name of the job that stops it. */
  onStop?: string | null
  /** As written, such as `1 day`, or `never`. */
  autoStopIn?: string | null
  tier?: string | null
}

/** What a job publishes as the site of its project (contract 24, Pages). All texts may refer to variables. */
export type ConfigPages = {
  /** The folder of the archive. */
  publish: string
  /** Null: the main site. */
  pathPrefix: string | null
  /** As written, such as `1 day`, or `never`. */
  expireIn: string | null
}

export type ConfigNeed = { job: string; artifacts: boolean; optional: boolean }

/** What a job does. Stored with the job as JSON. */
export type JobDefinition = {
  beforeScript: readonly string[]
  script: readonly string[]
  afterScript: readonly string[]
  preGetSourcesScript: readonly string[]
  image: ConfigImage | null
  services: readonly ConfigService[]
  variables: readonly ConfigVariable[]
  artifacts: ConfigArtifacts | null
  cache: readonly ConfigCache[]
  environment: ConfigEnvironment | null
  /** Null, or missing in what 0.1.0 has stored: it publishes nothing. */
  pages?: ConfigPages | null
  /** Names of the jobs whose artifacts it downloads; null: those of all earlier stages, or of its needs. */
  dependencies: readonly string[] | null
  /** Exit codes with which a failure is allowed. */
  allowFailureExitCodes: readonly number[]
  retry: { max: number; when: readonly string[] }
  /** Regular expression that finds the coverage in the log, without slashes. */
  coverage: string | null
  /** `CI_NODE_INDEX` and `CI_NODE_TOTAL`; null without `parallel`. */
  node: { index: number; total: number } | null
}

export type JobWhen = 'on_success' | 'on_failure' | 'always' | 'manual' | 'delayed'

/** A job of a pipeline that is to be created. */
export type PlannedJob = {
  name: string
  stage: string
  /** Position of the stage in the pipeline, from 0. */
  stageIndex: number
  when: JobWhen
  /** Delay of a `delayed` job. */
  startInSeconds: number | null
  allowFailure: boolean
  interruptible: boolean
  tags: readonly string[]
  timeoutSeconds: number | null
  resourceGroup: string | null
  /** Null: it waits for the earlier stages. */
  needs: readonly ConfigNeed[] | null
  definition: JobDefinition
}

/** The source of pipelines of merge requests (contract 24, Merge request pipelines). */
export const requestSource = 'merge_request_event'

/** What `rules` and `only` compare with. */
export type PipelineContext = {
  ref: string
  tag: boolean
  source: string
  sha: string
  /** Previous commit of the ref; null: `changes` is always true. */
  beforeSha: string | null
  defaultBranch: string | null
  /** Predefined variables, over which those of the configuration win. */
  predefined: readonly ConfigVariable[]
  /** Variables of the instance, the groups, the project and the pipeline, which win over those of the configuration. */
  variables: readonly ConfigVariable[]
}

/** A file that a configuration includes. */
export type ConfigInclude = {
  type: 'local' | 'file'
  location: string
  /** Full path and commit of the project that has the file. */
  project: string
  sha: string
  /** Of the project and the commit with the `include`. */
  contextProject: string
  contextSha: string
}

/** The jobs that a pipeline gets, or why it gets none (contract 04, x.pipelines_create). */
export type PipelinePlan =
  | { kind: 'invalid'; errors: readonly string[] }
  | { kind: 'filtered_by_workflow' }
  | { kind: 'no_jobs' }
  | { kind: 'jobs'; name: string | null; jobs: readonly PlannedJob[]; variables: readonly ConfigVariable[] }
