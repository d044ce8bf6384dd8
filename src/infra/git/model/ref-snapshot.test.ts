import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { main } from '../testing.ts'
import { branchRef, type Oid, tagRef, ZERO_SHA1 } from './names.ts'
import { type BranchRef, compareByBytes, nextSnapshot, refSnapshot, type TagRef } from './ref-snapshot.ts'

const oid = (digit: string) => digit.repeat(40) as Oid
const names = fc.uniqueArray(fc.stringMatching(/^[a-cé💚\ue000]{1,4}$/u), { maxLength: 12 })
const branchesOf = (list: string[]): BranchRef[] =>
  list.toSorted(compareByBytes).map((name) => ({ name, oid: oid('1') }))
const noTags = async (): Promise<TagRef | null> => null

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
  test('finds exactly what it has', () => {
    fc.assert(
      fc.property(names, names, (present, asked) => {
        const snapshot = refSnapshot(1, main, branchesOf(present), [])
        for (const name of asked) expect(snapshot.branch(name)?.name ?? null).toBe(present.includes(name) ? name : null)
      }),
    )
  })

  test('says where a page starts', () => {
    const snapshot = refSnapshot(1, main, branchesOf(['A', 'a', 'b']), [])
    expect(snapshot.branches.map(({ name }) => name)).toEqual(['A', 'a', 'b'])
    expect(['', 'A', 'B', 'a', 'a/x', 'z'].map(snapshot.branchIndex)).toEqual([0, 0, 1, 1, 2, 3])
    expect(snapshot.tagIndex('x')).toBe(0)
  })

  test('derives the next one as if it had been read', async () => {
    await fc.assert(
      fc.asyncProperty(names, names, names, async (present, removed, added) => {
        const before = refSnapshot(1, main, branchesOf(present), [])
        const gone = removed.filter((name) => !added.includes(name))
        const changes = [
          ...added.map((name) => ({ ref: branchRef(name)!, old: ZERO_SHA1, new: oid('2') })),
          ...gone.map((name) => ({ ref: branchRef(name)!, old: oid('1'), new: ZERO_SHA1 })),
        ]
        const after = await nextSnapshot(before, 2, main, changes, noTags)
        const kept = present.filter((name) => !gone.includes(name) && !added.includes(name))
        const expected = [...branchesOf(kept), ...added.map((name) => ({ name, oid: oid('2') }))]
        expect(after.branches).toEqual(expected.toSorted((a, b) => compareByBytes(a.name, b.name)))
        expect(before.branches).toEqual(branchesOf(present))
      }),
    )
  })

  test('derives tags with what they point at, and the new head', async () => {
    const tag: TagRef = { name: 'v1', oid: oid('3'), type: 'tag', peeled: oid('1'), peeledType: 'commit' }
    const before = refSnapshot(1, main, [], [])
    const change = { ref: tagRef('v1')!, old: ZERO_SHA1, new: oid('3') }
    const after = await nextSnapshot(before, 2, branchRef('trunk')!, [change], async () => tag)
    expect(after.tag('v1')).toBe(tag)
    expect(after.head).toBe('refs/heads/trunk')
    const gone = await nextSnapshot(after, 3, main, [{ ...change, new: ZERO_SHA1 }], noTags)
    expect(gone.tags).toEqual([])
    expect(after.tags).toEqual([tag])
  })
})
