import { globMatcher } from '../../../infra/wildcards/index.ts'
import { ConfigError, Problems } from '../errors.ts'
import { type CommitFacts, firstRule } from '../rules/conditions.ts'
import type { Lookup } from '../rules/expression.ts'
import { rulesReader } from '../rules/rule-values.ts'
import type { ConfigInclude } from '../types.ts'
import type { ReadDocument } from './read.ts'
import type { ConfigSource } from './source.ts'
import { isNode, mergeDeep, type Node } from './tree.ts'

const deepestInclude = 100

/** What includes are resolved with. */
export type IncludeContext = { variables: Lookup; facts: CommitFacts; read: ReadDocument; mostIncludes: number }

/** `text` reads it, or throws why it cannot. */
type File = { text(): Promise<string>; source: ConfigSource; path: string; type: ConfigInclude['type'] }

const readRules = rulesReader(() => undefined)
const unsupportedKinds = ['remote', 'template', 'component', 'artifact']

/** @throws ConfigError */
async function isWanted({ rules }: Node, { variables, facts }: IncludeContext): Promise<boolean> {
  if (rules === undefined) return true
  const problems = new Problems()
  const read = readRules(rules, 'include:rules', problems)
  if (problems.messages.length > 0) throw new ConfigError(...problems.messages)
  const rule = await firstRule(read ?? [], variables, facts)
  return rule !== null && rule.when !== 'never'
}

const plain = (path: string) => path.replace(/^\/+/, '')

function requireExtension(path: string): void {
  if (!/\.ya?ml$/.test(path)) throw new ConfigError(`Included file \`${path}\` does not have YAML extension!`)
}

/** The files of a local include; a pattern may match several, or none. */
async function localFiles(location: string, source: ConfigSource): Promise<File[]> {
  const path = plain(location)
  requireExtension(path)
  const paths = path.includes('*') ? (await source.paths()).filter(globMatcher(path)) : [path]
  return paths.map((one) => ({
    async text() {
      const text = await source.read(one)
      if (text === null) throw new ConfigError(`Local file \`${location}\` does not exist!`)
      if (text.trim() === '') throw new ConfigError(`Local file \`${location}\` is empty!`)
      return text
    },
    source,
    path: one,
    type: 'local',
  }))
}

async function projectFiles(entry: Node, source: ConfigSource): Promise<File[]> {
  const { project, ref = null, file } = entry
  const files = [file].flat()
  if (typeof project !== 'string' || !files.every((one) => typeof one === 'string')) {
    throw new ConfigError('Need to specify the file(s) from which to pull configs in `include`.')
  }
  const other = await source.other(project, ref === null ? null : String(ref))
  if (typeof other === 'string') throw new ConfigError(other)
  return (files as string[]).map((one) => ({
    async text() {
      requireExtension(one)
      const text = await other.read(plain(one))
      if (text === null) throw new ConfigError(`Project \`${project}\` file \`${one}\` does not exist!`)
      return text
    },
    source: other,
    path: plain(one),
    type: 'file',
  }))
}

/** An entry as a hash. @throws ConfigError for kinds that are not supported */
function entryOf(given: unknown): Node {
  const entry = typeof given === 'string' ? { [/^https?:/.test(given) ? 'remote' : 'local']: given } : given
  if (!isNode(entry)) throw new ConfigError('Include `[FILTERED]` needs to match exactly one accessor!')
  const kind = unsupportedKinds.find((one) => Object.hasOwn(entry, one))
  if (kind) throw new ConfigError(`Included file type is not supported: ${kind}`)
  if (typeof entry.local !== 'string' && entry.project === undefined) {
    throw new ConfigError(`Include \`${JSON.stringify(entry)}\` needs to match exactly one accessor!`)
  }
  return entry
}

/**
 * Replaces `include` by the merged content of the files; keys of the including file win.
 * @returns the configuration and the included files, in their order
 * @throws ConfigError
 */
export async function resolveIncludes(config: Node, source: ConfigSource, context: IncludeContext) {
  const { mostIncludes } = context
  const included: ConfigInclude[] = []

  const resolve = async ({ include, ...own }: Node, from: ConfigSource, depth: number): Promise<Node> => {
    if (include === undefined || include === null) return own
    if (depth > deepestInclude) throw new ConfigError(`Maximum depth of ${deepestInclude} nested includes is exceeded!`)
    let merged: Node = {}
    for (const given of [include].flat()) {
      const entry = entryOf(given)
      if (!(await isWanted(entry, context))) continue
      const files =
        typeof entry.local === 'string' ? await localFiles(entry.local, from) : await projectFiles(entry, from)
      for (const { text, source: at, path: location, type } of files) {
        included.push({
          ...{ type, location, project: at.project, sha: at.sha },
          ...{ contextProject: from.project, contextSha: from.sha },
        })
        if (included.length > mostIncludes) {
          throw new ConfigError(`Maximum of ${mostIncludes} nested includes are allowed!`)
        }
        merged = mergeDeep(merged, await resolve(context.read(await text()), at, depth + 1))
      }
    }
    return mergeDeep(merged, own)
  }

  return { config: await resolve(config, source, 1), included }
}
