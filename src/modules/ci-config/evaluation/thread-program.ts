/** Runs in a thread: evaluates one large configuration. */
import { type Ask, serveThread } from '../../../infra/threads/index.ts'
import type { ConfigSource } from '../document/source.ts'
import type { SourceHandle } from './evaluate.ts'
import { type CommitAccess, type Works, works } from './works.ts'

/** Jobs that are passed on at once: the other thread serves requests between two portions. */
const portion = 200

/** Remembers the answer of the first call for each parameter. */
function remembered<P, T>(find: (parameter: P) => Promise<T>): (parameter: P) => Promise<T> {
  const known = new Map<P, Promise<T>>()
  return (parameter) => {
    const found = known.get(parameter) ?? find(parameter)
    known.set(parameter, found)
    return found
  }
}

function sourceOf(ask: Ask, { handle, project, sha }: SourceHandle): ConfigSource {
  const paths = remembered(() => ask('paths', handle) as Promise<readonly string[]>)
  return {
    project,
    sha,
    read: (path) => ask('read', handle, path) as Promise<string | null>,
    paths: () => paths(null),
    async other(path, ref) {
      const found = (await ask('other', handle, path, ref)) as SourceHandle | string
      return typeof found === 'string' ? found : sourceOf(ask, found)
    },
  }
}

function accessOf(ask: Ask, root: SourceHandle): CommitAccess {
  const paths = remembered(() => ask('allPaths') as Promise<readonly string[]>)
  const changedPaths = remembered((compareTo: string | null) => {
    return ask('changedPaths', compareTo) as Promise<readonly string[] | null>
  })
  return { source: sourceOf(ask, root), facts: { changedPaths, paths: () => paths(null) } }
}

type Given = { name: keyof Works; task: never; root: SourceHandle }

serveThread(async ({ name, task, root }: Given, ask) => {
  const result = await works[name](task, accessOf(ask, root))
  if (!('jobs' in result)) return result
  for (let index = 0; index < result.jobs.length; index += portion) {
    await ask('jobs', result.jobs.slice(index, index + portion))
  }
  return { ...result, jobs: [] }
})
