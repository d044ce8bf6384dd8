import { isNode, type Node } from '../document/tree.ts'
import type { Problems } from '../errors.ts'
import { type RefFilter, type Rule, refFilter, rulesReader } from '../rules/rule-values.ts'
import type {
  ConfigArtifacts,
  ConfigCache,
  ConfigEnvironment,
  ConfigImage,
  ConfigPages,
  ConfigService,
  ConfigVariable,
  JobWhen,
} from '../types.ts'
import { artifacts, cache } from './artifacts.ts'
import { environment } from './environment.ts'
import { needs, type WrittenNeed } from './needs.ts'
import { checkPublished, pages, publishedBy, withPublished } from './pages.ts'
import { type Parallel, parallel } from './parallel.ts'
import {
  boolean,
  duration,
  hash,
  image,
  type Read,
  script,
  services,
  stringOrStrings,
  strings,
  text,
  variables,
  word,
} from './values.ts'

/** A visible job, with the defaults that it inherits. */
export type JobConfig = {
  name: string
  stage: string
  beforeScript: readonly string[]
  script: readonly string[]
  afterScript: readonly string[]
  preGetSourcesScript: readonly string[]
  image: ConfigImage | null
  services: readonly ConfigService[]
  variables: readonly ConfigVariable[]
  /** Which global variables it gets. */
  inheritVariables: boolean | readonly string[]
  when: JobWhen | 'never' | null
  startInSeconds: number | null
  allowFailure: boolean | null
  allowFailureExitCodes: readonly number[]
  rules: readonly Rule[] | null
  only: RefFilter | null
  except: RefFilter | null
  needs: readonly WrittenNeed[] | null
  dependencies: readonly string[] | null
  tags: readonly string[]
  timeoutSeconds: number | null
  retry: { max: number; when: readonly string[] }
  interruptible: boolean
  resourceGroup: string | null
  parallel: Parallel | null
  coverage: string | null
  environment: ConfigEnvironment | null
  pages: ConfigPages | null
  artifacts: ConfigArtifacts | null
  cache: readonly ConfigCache[]
}

const whens = ['on_success', 'on_failure', 'always', 'manual', 'delayed', 'never'] as const

const allowFailure: Read<boolean | number[]> = (value, place, problems) => {
  if (!isNode(value)) return boolean(value, place, problems)
  const codes = [value.exit_codes].flat()
  if (codes.every(Number.isInteger)) return codes as number[]
  return problems.add(`${place}:exit_codes`, 'config should be an array of integers or an integer')
}

const retry: Read<{ max: number; when: string[] }> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  const given = isNode(value) ? value : { max: value }
  const { max = 0, when = ['always'] } = given
  if (!Number.isInteger(max)) return problems.add(place, 'max is not a number')
  if ((max as number) > 2) return problems.add(place, 'max must be less than or equal to 2')
  if ((max as number) < 0) return problems.add(place, 'max must be greater than or equal to 0')
  return { max: max as number, when: stringOrStrings(when, `${place}:when`, problems) ?? ['always'] }
}

const coverage: Read<string> = (value, place, problems) => {
  if (value === undefined || value === null) return undefined
  const [, expression] = typeof value === 'string' ? (/^\/(.+)\/$/s.exec(value) ?? []) : []
  return expression ?? problems.add(place, 'config must be a regular expression')
}

const inherited: Read<boolean | string[]> = (value, place, problems) =>
  typeof value === 'boolean' ? value : strings(value, place, problems)

const inherit: Read<{ default?: boolean | string[] | undefined; variables?: boolean | string[] | undefined }> = (
  value,
  place,
  problems,
) => (value === undefined ? undefined : hash(value, place, problems, { default: inherited, variables: inherited }))

const hooks: Read<string[]> = (value, place, problems) =>
  value === undefined || value === null
    ? undefined
    : hash(value, place, problems, { pre_get_sources_script: script })?.pre_get_sources_script

/** Keys that jobs inherit from `default`. */
const defaultable = {
  before_script: script,
  after_script: script,
  image,
  services,
  tags: strings,
  timeout: duration,
  retry,
  interruptible: boolean,
  artifacts,
  cache,
  hooks,
}

const members = {
  ...defaultable,
  script,
  stage: text,
  variables,
  inherit,
  when: word(whens),
  start_in: duration,
  allow_failure: allowFailure,
  rules: rulesReader(needs),
  only: refFilter,
  except: refFilter,
  needs,
  dependencies: strings,
  resource_group: text,
  parallel,
  coverage,
  environment,
  pages,
  publish: text,
} satisfies Record<string, Read<unknown>>

/** Keys that are accepted and have no effect (contract 04, subset). */
const ignored = new Set(['secrets', 'id_tokens', 'release', 'dast_configuration', 'identity', 'manual_confirmation'])
const unsupported = ['trigger', 'run', 'inputs']

function reportKeywords(job: string, given: Node, problems: Problems): Node {
  for (const key of Object.keys(given)) {
    if (ignored.has(key)) problems.warnings.push(`${job}: keyword ${key} is not supported and was ignored`)
  }
  const known = Object.entries(given).filter(([key]) => !ignored.has(key) && !unsupported.includes(key))
  return Object.fromEntries(known)
}

/** The keys of `default` that a job inherits. */
function defaultsFor(given: Node, defaults: Node): Node {
  const chosen = isNode(given.inherit) ? given.inherit.default : true
  if (chosen === false) return {}
  return Array.isArray(chosen)
    ? Object.fromEntries(Object.entries(defaults).filter(([key]) => chosen.includes(key)))
    : defaults
}

/** Reports keys of `default` that jobs do not inherit, and values that are invalid. */
export function checkDefaults(defaults: unknown, problems: Problems): void {
  const { id_tokens: _tokens, identity: _identity, ...others } = isNode(defaults) ? defaults : {}
  if (isNode(defaults)) hash(others, 'default', problems, defaultable)
  else if (defaults !== undefined) problems.add('default', 'config should be a hash')
}

function checkRules(place: string, given: Node, problems: Problems): void {
  if (given.rules === undefined || given.rules === null) return
  const both = ['only', 'except'].filter((key) => given[key] !== undefined && given[key] !== null)
  if (both.length > 0) problems.add(place, `config key may not be used with \`rules\`: ${both.join(', ')}`)
}

/** Reads a visible job. @returns null when a problem was found that leaves no job */
export function readJob(jobName: string, value: unknown, defaults: Node, problems: Problems): JobConfig | null {
  const place = `jobs:${jobName}`
  if (!isNode(value)) return problems.add(place, 'config should be a hash') ?? null
  const foreign = unsupported.find((key) => Object.hasOwn(value, key))
  if (foreign) return problems.add(place, `config uses unsupported keyword: ${foreign}`) ?? null
  if (value.script === undefined || value.script === null) {
    return problems.add(place, 'config should implement the script:, run:, or trigger: keyword') ?? null
  }
  const own = reportKeywords(jobName, value, problems)
  checkRules(place, own, problems)
  const read = hash({ ...defaultsFor(own, defaults), ...own }, place, problems, members)
  if (!read) return null
  if (read.when === 'delayed' && read.start_in === undefined) problems.add(`${place} start in`, 'should be a duration')
  const published = publishedBy(jobName, read.pages, read.publish)
  checkPublished(place, published, problems)
  const exitCodes = Array.isArray(read.allow_failure) ? read.allow_failure : []
  return {
    name: jobName,
    stage: read.stage ?? 'test',
    beforeScript: read.before_script ?? [],
    script: read.script ?? [],
    afterScript: read.after_script ?? [],
    preGetSourcesScript: read.hooks ?? [],
    image: read.image ?? null,
    services: read.services ?? [],
    variables: read.variables ?? [],
    inheritVariables: read.inherit?.variables ?? true,
    when: read.when ?? null,
    startInSeconds: read.start_in ?? null,
    allowFailure: typeof read.allow_failure === 'boolean' ? read.allow_failure : null,
    allowFailureExitCodes: exitCodes,
    rules: read.rules ?? null,
    only: read.only ?? null,
    except: read.except ?? null,
    needs: read.needs ?? null,
    dependencies: read.dependencies ?? null,
    tags: read.tags ?? [],
    timeoutSeconds: read.timeout ?? null,
    retry: read.retry ?? { max: 0, when: ['always'] },
    interruptible: read.interruptible ?? false,
    resourceGroup: read.resource_group ?? null,
    parallel: read.parallel ?? null,
    coverage: read.coverage ?? null,
    environment: read.environment ?? null,
    pages: published,
    artifacts: withPublished(read.artifacts ?? null, read.pages ? published : null),
    cache: read.cache ?? [],
  }
}
