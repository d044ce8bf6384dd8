import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FileChange, Oid, TreeEntry, TreePath } from '../../../infra/git/index.ts'
import { type PathEntry, stagedTree } from './staged-tree.ts'

type Files = Map<string, string>

const base = 'commit' as Oid
const below = (files: Files, path: string) => [...files.keys()].filter((name) => name.startsWith(`${path}/`))

/** A repository with one commit of these files, whose contents are called as their ids. */
function repositoryOf(files: Files, mode = '100644') {
  const entry = (path: string): TreeEntry | null => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    const oid = files.get(path)
    if (oid !== undefined) return { name, path, mode, type: 'blob', oid: oid as Oid }
    if (path !== '' && below(files, path).length === 0) return null
    return { name, path, mode: '040000', type: 'tree', oid: `tree:${path}` as Oid }
  }
  return {
    entryAt: async (_commit: Oid, path: string) => entry(path),
    async treeEntries(tree: Oid) {
      const path = tree.slice('tree:'.length)
      const names = new Set(below(files, path).map((name) => name.slice(path.length + 1).split('/')[0]))
      return [...names].flatMap((name) => entry(`${path}/${name}`) ?? [])
    },
  }
}

/** What git makes of a list of changes. */
function applied(files: Files, changes: readonly FileChange[]): Files {
  const after = new Map(files)
  for (const change of changes) {
    for (const name of [change.path, ...below(after, change.path)]) after.delete(name)
    if ('content' in change && change.content === null) continue
    const parts = change.path.split('/')
    for (let depth = 1; depth < parts.length; depth += 1) after.delete(parts.slice(0, depth).join('/'))
    after.set(change.path, 'oid' in change ? change.oid : String(change.content))
  }
  return after
}

/** The same, computed from a plain list of files. */
function standing(files: Files, path: string): PathEntry['kind'] {
  if (files.has(path)) return 'file'
  if (below(files, path).length > 0) return 'directory'
  const parts = path.split('/')
  return parts.some((_, depth) => depth > 0 && files.has(parts.slice(0, depth).join('/'))) ? 'obstacle' : 'nothing'
}

/** Few enough names that paths meet. */
const path = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))

/** Files none of which stands on the way to another. */
const files = fc.array(path, { maxLength: 12 }).map((paths) => {
  const made: Files = new Map()
  for (const name of paths) if (standing(made, name) === 'nothing') made.set(name, `old ${name}`)
  return made
})

describe('a staged tree', () => {
  test('behaves like a plain list of files under any actions', async () => {
    const step = fc.record({ path, write: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(files, fc.array(step, { maxLength: 30 }), async (before, steps) => {
        const tree = stagedTree(repositoryOf(before) as never, base)
        const model = new Map(before)
        for (const [index, { path: name, write }] of steps.entries()) {
          const found = await tree.at(name as TreePath)
          expect([name, found.kind]).toEqual([name, standing(model, name)])
          if (found.kind === 'obstacle') expect(model.has(found.path) && name.startsWith(`${found.path}/`)).toBe(true)
          if (write && (found.kind === 'nothing' || found.kind === 'file')) {
            tree.put(name as TreePath, { mode: '100644', content: Buffer.from(`new ${index}`) })
            model.set(name, `new ${index}`)
          } else if (!write && found.kind === 'file') {
            tree.remove(name as TreePath)
            model.delete(name)
          }
        }
        expect(applied(before, tree.changes())).toEqual(model)
      }),
      { numRuns: 500 },
    )
  })

  test('returns every changed file once', () => {
    const tree = stagedTree(repositoryOf(new Map()) as never, null)
    const name = 'a' as TreePath
    for (let count = 0; count < 1_000; count += 1) tree.put(name, { mode: '100755', content: Buffer.from('x') })
    expect(tree.changes()).toHaveLength(1)
  })

  test('converts old file modes', async () => {
    const modeOf = async (mode: string) => {
      const found = await stagedTree(repositoryOf(new Map([['a', 'x']]), mode) as never, base).at('a' as TreePath)
      return found.kind === 'file' ? found.file.mode : found.kind
    }
    expect([await modeOf('100664'), await modeOf('100600'), await modeOf('100775')]).toEqual([
      '100644',
      '100644',
      '100755',
    ])
    expect([await modeOf('120000'), await modeOf('160000')]).toEqual(['120000', '160000'])
  })
})
