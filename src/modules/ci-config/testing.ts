import { defaultsOf, instanceDefinitions } from '../../platform/settings/index.ts'
import { compileConfig } from './compile.ts'
import { configLimits } from './document/limits.ts'
import type { ConfigSource } from './document/source.ts'
import { planPipeline } from './plan.ts'
import type { PipelineContext, PlannedJob } from './types.ts'

/** A source with these files; other projects have the files of `others`. */
function sourceOf(
  files: Readonly<Record<string, string>> = {},
  others: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
  project = 'g/p',
): ConfigSource {
  return {
    project,
    sha: 'a'.repeat(40),
    read: async (path) => (Object.hasOwn(files, path) ? (files[path] ?? null) : null),
    paths: async () => Object.keys(files),
    async other(name) {
      const found = Object.hasOwn(others, name) ? others[name] : undefined
      return found ? sourceOf(found, others, name) : `Project \`${name}\` not found or access denied!`
    },
  }
}

type Situation = Partial<Omit<PipelineContext, 'variables' | 'predefined'>> & {
  variables?: Record<string, string>
  changed?: readonly string[] | null
  files?: Record<string, string>
  others?: Record<string, Record<string, string>>
}

const limits = configLimits(defaultsOf(instanceDefinitions()))

/** Compiles a text and chooses the jobs of a pipeline. */
export async function planOf(text: string, situation: Situation = {}) {
  const { variables = {}, changed = null, files = {}, others = {}, ...more } = situation
  const facts = { changedPaths: async () => changed, paths: async () => Object.keys(files) }
  const context: PipelineContext = {
    ...{ ref: 'main', tag: false, source: 'push', sha: 'a'.repeat(40), beforeSha: null, defaultBranch: 'main' },
    predefined: [{ key: 'CI_COMMIT_BRANCH', value: more.ref ?? 'main', raw: true }],
    variables: Object.entries(variables).map(([key, value]) => ({ key, value, raw: false })),
    ...more,
  }
  const lookup = (name: string) => variables[name]
  const compiled = await compileConfig(text, sourceOf(files, others), { variables: lookup, facts, limits })
  if (!compiled.configuration) return { errors: compiled.errors, compiled, plan: null, jobs: [] as PlannedJob[] }
  const plan = await planPipeline(compiled.configuration, context, facts)
  const errors = plan.kind === 'invalid' ? plan.errors : []
  return { errors, compiled, plan, jobs: plan.kind === 'jobs' ? [...plan.jobs] : [] }
}

/** The names of the jobs of a pipeline. */
export async function namesOf(text: string, situation?: Situation): Promise<string[]> {
  return (await planOf(text, situation)).jobs.map(({ name }) => name)
}
