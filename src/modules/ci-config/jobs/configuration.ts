import { isHidden, isNode, jobEntries, type Node } from '../document/tree.ts'
import { ConfigError, Problems } from '../errors.ts'
import { type Rule, rulesReader } from '../rules/rule-values.ts'
import type { ConfigVariable } from '../types.ts'
import { checkDefaults, type JobConfig, readJob } from './job.ts'
import { needs } from './needs.ts'
import { checkRelations } from './relations.ts'
import { hash, type Read, strings, text, variables } from './values.ts'

/** A valid configuration. */
export type Configuration = {
  /** All stages in their order, with `.pre` and `.post`. */
  stages: readonly string[]
  variables: readonly ConfigVariable[]
  workflow: { name: string | null; rules: readonly Rule[] | null }
  jobs: readonly JobConfig[]
  warnings: readonly string[]
}

const defaultStages = ['build', 'test', 'deploy']
const legacyDefaults = ['image', 'services', 'before_script', 'after_script', 'cache']

/** More jobs are refused before they are looked at (contract 04, ".gitlab-ci.yml subset"). */
export const mostJobs = 5000
export const tooManyJobs = `The number of jobs has exceeded the limit of ${mostJobs}. Try splitting the configuration with parent-child-pipelines`

const workflowMembers = {
  name: text,
  rules: rulesReader(needs),
  auto_cancel: (value: unknown) => value,
} satisfies Record<string, Read<unknown>>

function defaultsOf(config: Node): Node {
  const legacy = Object.fromEntries(Object.entries(config).filter(([key]) => legacyDefaults.includes(key)))
  return { ...legacy, ...(isNode(config.default) ? config.default : {}) }
}

/**
 * Reads a merged configuration.
 * @throws ConfigError with all problems
 */
export function readConfiguration(config: Node): Configuration {
  const problems = new Problems()
  if (config.spec !== undefined) problems.add('root', 'config uses unsupported keyword: spec')
  const stages = strings(config.stages ?? config.types, 'stages', problems) ?? defaultStages
  const global = variables(config.variables, 'variables', problems) ?? []
  const workflow = config.workflow === undefined ? {} : hash(config.workflow, 'workflow', problems, workflowMembers)
  checkDefaults(config.default, problems)
  const visible = jobEntries(config).filter(([name]) => !isHidden(name))
  if (visible.length > mostJobs) throw new ConfigError(tooManyJobs)
  const defaults = defaultsOf(config)
  const jobs = visible.flatMap(([name, job]) => readJob(name, job, defaults, problems) ?? [])
  if (visible.length === 0) problems.add('jobs', 'config should contain at least one visible job')
  const all = ['.pre', ...stages.filter((stage) => stage !== '.pre' && stage !== '.post'), '.post']
  if (problems.messages.length === 0) checkRelations(jobs, all, problems)
  if (problems.messages.length > 0) throw new ConfigError(...problems.messages)
  const { name = null, rules = null } = workflow ?? {}
  return { stages: all, variables: global, workflow: { name, rules }, jobs, warnings: problems.warnings }
}
