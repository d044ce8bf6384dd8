import { createHash } from 'node:crypto'
import { treePath } from '../../../infra/git/index.ts'
import type { ConfigCache } from '../../ci-config/index.ts'
import { settingsOf } from '../../projects/index.ts'
import type { JobFacts } from './facts.ts'

/** The key of a cache that depends on files: other contents give another key. */
async function keyOf({ repository, commit }: JobFacts, { key }: ConfigCache): Promise<string> {
  if (typeof key === 'string') return key
  const digest = createHash('sha1')
  let hasFile = false
  for (const path of key.files) {
    const place = treePath(path)
    const entry = place && (await repository.entryAt(commit.oid, place))
    if (!entry) continue
    hasFile = true
    digest.update(entry.oid)
  }
  const own = hasFile ? digest.digest('hex') : 'default'
  return key.prefix === null ? own : `${key.prefix}-${own}`
}

/** The caches of a job. Those of protected refs have keys of their own, unless the project shares them. */
export async function cachesOf(facts: JobFacts) {
  const { definition, project, job } = facts
  const suffix = settingsOf(project).ci_separated_caches ? (job.protected ? '-protected' : '-non_protected') : ''
  return Promise.all(
    definition.cache.map(async (cache) => {
      const { untracked, paths, policy, when, fallbackKeys } = cache
      const fallback_keys = fallbackKeys.map((key) => `${key}${suffix}`)
      return { key: `${await keyOf(facts, cache)}${suffix}`, untracked, paths: [...paths], policy, when, fallback_keys }
    }),
  )
}
