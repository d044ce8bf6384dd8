import { anything, forms, nullable, Type } from '../../../api/index.ts'

const text = Type.String()
const texts = forms.strings
const nullableTexts = nullable(texts)
const lists = { executor_opts: anything, ports: Type.Array(anything) }

const JobInfo = Type.Object({
  ...{ id: forms.id, name: text, stage: text, pipeline_id: forms.id, project_id: forms.id },
  ...{ project_name: text, project_full_path: text, time_in_queue_seconds: Type.Integer() },
  project_jobs_running_on_instance_runners_count: text,
})

const GitInfo = Type.Object({
  ...{ repo_url: text, repo_object_format: text, ref: text, sha: text, before_sha: text, ref_type: text },
  ...{ refspecs: texts, depth: Type.Integer(), protected: Type.Boolean() },
})

const Variable = Type.Object({
  ...{ key: text, value: text, public: Type.Boolean(), masked: Type.Boolean() },
  ...{ file: Type.Optional(Type.Boolean()), raw: Type.Optional(Type.Boolean()) },
})

const Step = Type.Object({
  ...{ name: text, script: texts, timeout: Type.Integer(), when: text, allow_failure: Type.Boolean() },
})

const Image = Type.Object({ name: text, entrypoint: nullableTexts, ...lists, pull_policy: nullableTexts })

const Service = Type.Object({
  ...{ name: text, entrypoint: nullableTexts, alias: forms.nullableString, command: nullableTexts, ...lists },
  ...{ variables: Type.Array(anything), pull_policy: nullableTexts },
})

const Artifact = Type.Object({
  ...{ name: forms.nullableString, untracked: Type.Boolean(), paths: texts, exclude: texts, when: text },
  ...{ expire_in: forms.nullableString, artifact_type: text, artifact_format: text },
})

const Cache = Type.Object({
  ...{ key: text, untracked: Type.Boolean(), paths: texts, policy: text, when: text, fallback_keys: texts },
})

const Dependency = Type.Object({
  ...{ id: forms.id, name: text, token: text },
  artifacts_file: Type.Object({ filename: text, size: Type.Integer() }),
})

/** A job as a runner gets it (contract 04, "Job payload"). */
export const JobPayload = Type.Object(
  {
    id: forms.id,
    token: text,
    allow_git_fetch: Type.Boolean(),
    job_info: JobInfo,
    git_info: GitInfo,
    runner_info: Type.Object({ timeout: Type.Integer(), runner_session_url: forms.nullableString }),
    variables: Type.Array(Variable),
    steps: Type.Array(Step),
    hooks: Type.Array(Type.Object({ name: text, script: texts })),
    image: nullable(Image),
    services: Type.Array(Service),
    artifacts: nullable(Type.Array(Artifact)),
    cache: Type.Array(Cache),
    credentials: Type.Array(Type.Object({ type: text, url: text, username: text, password: text })),
    dependencies: Type.Array(Dependency),
    features: Type.Object({ trace_sections: Type.Boolean(), token_mask_prefixes: texts, failure_reasons: texts }),
  },
  { title: 'JobPayload' },
)
