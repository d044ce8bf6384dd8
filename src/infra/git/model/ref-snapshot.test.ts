import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { main } from '../testing.ts'
import { branchRef, type Oid } from './names.ts'
import { type BranchRef, compareByBytes, nextSnapshot, refSnapshot, type TagRef } from './ref-snapshot.ts'

const oid = (digit: string) => digit.repeat(40) as Oid
const names = fc.uniqueArray(fc.stringMatching(/^[a-cé💚\ue000]{1,4}$/u), { maxLength: 12 })
const branchesOf = (list: string[]): BranchRef[] =>
  list.toSorted(compareByBytes).map((name) => ({ name, oid: oid('1') }))
const none = { branches: new Map(), tags: new Map() }

test('byte order is the order of the UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
      expect(Math.sign(compareByBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
    }),
  )
  // UTF-16 order says the opposite.
  expect(compareByBytes('\ue000', '💚')).toBeLessThan(0)
})

describe('a snapshot', () => {
  test('finds refs by exact name', () => {
    fc.assert(
      fc.property(names, names, (present, asked) => {
        const snapshot = refSnapshot(1, main, branchesOf(present), [])
        for (const name of asked) expect(snapshot.branch(name)?.name ?? null).toBe(present.includes(name) ? name : null)
      }),
    )
  })

  test('finds the start of a page', () => {
    const snapshot = refSnapshot(1, main, branchesOf(['A', 'a', 'b']), [])
    expect(snapshot.branches.map(({ name }) => name)).toEqual(['A', 'a', 'b'])
    expect(['', 'A', 'B', 'a', 'a/x', 'z'].map(snapshot.branchIndex)).toEqual([0, 0, 1, 1, 2, 3])
    expect(snapshot.tagIndex('x')).toBe(0)
  })

  test('derives the next snapshot, equal to one that was read', () => {
    fc.assert(
      fc.property(names, names, names, (present, removed, added) => {
        const before = refSnapshot(1, main, branchesOf(present), [])
        const gone = removed.filter((name) => !added.includes(name))
        const branches = new Map([
          ...added.map((name) => [name, { name, oid: oid('2') }] as const),
          ...gone.map((name) => [name, null] as const),
        ])
        const after = nextSnapshot(before, 2, main, { ...none, branches })
        const kept = present.filter((name) => !gone.includes(name) && !added.includes(name))
        const expected = [...branchesOf(kept), ...added.map((name) => ({ name, oid: oid('2') }))]
        expect(after.branches).toEqual(expected.toSorted((a, b) => compareByBytes(a.name, b.name)))
        expect(before.branches).toEqual(branchesOf(present))
      }),
    )
  })

  test('derives tags with their targets, and the new HEAD', () => {
    const tag: TagRef = { name: 'v1', oid: oid('3'), type: 'tag', peeled: oid('1'), peeledType: 'commit' }
    const before = refSnapshot(1, main, [], [])
    const after = nextSnapshot(before, 2, branchRef('trunk')!, { ...none, tags: new Map([['v1', tag]]) })
    expect(after.tag('v1')).toBe(tag)
    expect(after.head).toBe('refs/heads/trunk')
    const gone = nextSnapshot(after, 3, main, { ...none, tags: new Map([['v1', null]]) })
    expect(gone.tags).toEqual([])
    expect(after.tags).toEqual([tag])
  })
})
