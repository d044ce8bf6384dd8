/** What a runner reads of the job that it gets (contract 04, "Job payload"). */

/** A variable of a job. Of the type file, the job gets the path of a file with the value. */
export type Variable = { key: string; value: string; masked: boolean; file?: boolean; raw?: boolean }

export type Step = { name: string; script: string[] }

/** Which result of the script a thing is for. */
export type When = 'on_success' | 'on_failure' | 'always'

/** An upload: the archive of a job, or one of its reports. */
export type ArtifactPlan = {
  name: string | null
  untracked: boolean
  paths: string[]
  exclude: string[]
  when: When
  expire_in: string | null
  artifact_type: string
  artifact_format: 'zip' | 'gzip' | 'raw'
}

export type CachePlan = {
  key: string
  untracked: boolean
  paths: string[]
  policy: string
  when: When
  fallback_keys: string[]
}

/** A job whose archive this job gets, and the token with which it is read. */
export type Dependency = { id: number; name: string; token: string; artifacts_file: { filename: string; size: number } }

export type GitInfo = {
  repo_url: string
  repo_object_format: string
  ref: string
  sha: string
  refspecs: string[]
  /** Number of commits; 0 is all of them. */
  depth: number
}

export type JobPayload = {
  id: number
  token: string
  allow_git_fetch: boolean
  job_info: { name: string; stage: string; project_id: number; project_name: string; project_full_path: string }
  git_info: GitInfo
  /** `timeout` in seconds. */
  runner_info: { timeout: number }
  variables: Variable[]
  steps: Step[]
  hooks: Step[]
  image: { name: string } | null
  services: { name: string }[]
  artifacts: ArtifactPlan[] | null
  cache: CachePlan[]
  dependencies: Dependency[]
  features: { token_mask_prefixes: string[] }
}
