import { type Actor, dayOf } from '../../api/index.ts'
import { type Oid, parseOid, ZERO_SHA1 } from '../../infra/git/index.ts'
import type { Platform } from '../../platform/index.ts'
import { type OpenedRepository, openRepository, readTextFile } from '../../platform/repositories/index.ts'
import { resolveRevision } from '../commits/index.ts'
import { defaultBranchName, may, type Project, visibleProject } from '../projects/index.ts'
import { largestFileBytes } from './document/limits.ts'
import type { ConfigSource } from './document/source.ts'
import type { CommitAccess } from './evaluation/works.ts'
import type { CommitFacts } from './rules/conditions.ts'

/** Patterns look at no more paths and changes than these. */
const mostPaths = 100_000

async function allPaths({ repository }: OpenedRepository, commit: Oid): Promise<string[]> {
  const tree = (await repository.commits([commit])).get(commit)?.treeOid
  const paths: string[] = []
  if (!tree) return paths
  for await (const { type, path } of repository.walkTree(tree, '')) {
    if (type === 'blob') paths.push(path)
    if (paths.length >= mostPaths) break
  }
  return paths
}

/** Remembers the answer of the first call. */
function once<T>(find: () => Promise<T>): () => Promise<T> {
  let found: Promise<T> | undefined
  return () => {
    found ??= find()
    return found
  }
}

/** Reads the files of other projects as a user may. */
async function otherSource(platform: Platform, actor: Actor, path: string, ref: string | null) {
  const unknown = `Project \`${path}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`
  const project = await visibleProject(platform.database.read, path, actor, dayOf(platform.clock.now()))
  if (!project || !may(actor, project, 'read_code')) return unknown
  const opened = await openRepository(platform, project)
  const revision = ref ?? (await defaultBranchName(platform, project))
  const commit = await resolveRevision(opened, revision)
  if (!commit) return `Project \`${path}\` reference \`${revision}\` does not exist!`
  return commitSource(platform, { project, actor, opened, commit })
}

/** The files of a project at a commit, for a configuration that a user compiles. */
export function commitSource(
  platform: Platform,
  { project, actor, opened, commit }: { project: Project; actor: Actor; opened: OpenedRepository; commit: Oid },
): ConfigSource {
  return {
    project: project.full_path,
    sha: commit,
    read: (path) => readTextFile(opened, commit, path, largestFileBytes),
    paths: once(() => allPaths(opened, commit)),
    other: (path, ref) => otherSource(platform, actor, path, ref),
  }
}

/** What a configuration reads of a repository without commits: no file of its own, and other projects as a user may. */
export function emptyAccess(platform: Platform, project: Project, actor: Actor): CommitAccess {
  const source: ConfigSource = {
    project: project.full_path,
    sha: ZERO_SHA1,
    read: async () => null,
    paths: async () => [],
    other: (path, ref) => otherSource(platform, actor, path, ref),
  }
  return { source, facts: { paths: async () => [], changedPaths: async () => null } }
}

/**
 * What rules ask about a commit.
 * @param beforeSha previous commit of the ref; null: everything counts as changed
 */
export function commitFacts(opened: OpenedRepository, commit: Oid, beforeSha: string | null): CommitFacts {
  const changedSince = async (base: Oid) => {
    const paths: string[] = []
    for await (const { path } of opened.repository.changedPaths(base, commit)) {
      // A larger change counts as a change of everything.
      if (paths.push(path) >= mostPaths) return null
    }
    return paths
  }
  const sincePrevious = once(async () => {
    const base = beforeSha === null ? null : parseOid(beforeSha)
    return base && changedSince(base)
  })
  return {
    paths: once(() => allPaths(opened, commit)),
    async changedPaths(compareTo) {
      if (compareTo === null) return sincePrevious()
      const base = await resolveRevision(opened, compareTo)
      return base && changedSince(base)
    },
  }
}
