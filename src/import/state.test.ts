import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { temporaryDirectory } from '../testing/index.ts'
import { ImportStopped } from './clients/errors.ts'
import { ImportState } from './state.ts'

let folder: Awaited<ReturnType<typeof temporaryDirectory>>
beforeAll(async () => {
  folder = await temporaryDirectory()
})
afterAll(() => folder[Symbol.asyncDispose]())

const servers = { source: 'https://old.example', target: 'http://127.0.0.1:8080' }
const at = (name: string) => join(folder.path, name)

test('makes each once, and looks for what an interrupted run has made', async () => {
  const calls: string[] = []
  const steps = (made: number, found: number | null) => ({
    find: async () => {
      calls.push('find')
      return found
    },
    make: async () => {
      calls.push('make')
      return made
    },
  })
  const first = new ImportState(at('once'), servers)
  expect(await first.once('issue 1', steps(1, null))).toBe(1)
  expect(await first.once('issue 1', steps(2, null))).toBe(1)
  const failing = { find: async () => null, make: () => Promise.reject(new Error('killed')) }
  await expect(first.once('issue 2', failing)).rejects.toThrow('killed')
  await expect(first.once('issue 3', failing)).rejects.toThrow('killed')
  first.close()
  expect(calls.splice(0)).toEqual(['make'])
  const second = new ImportState(at('once'), servers)
  expect([second.value('issue 1'), second.value('issue 2'), second.value('issue 4')]).toEqual([1, null, undefined])
  expect(await second.once('issue 2', steps(5, 7))).toBe(7)
  expect(await second.once('issue 3', steps(5, null))).toBe(5)
  expect(calls).toEqual(['find', 'find', 'make'])
  expect(second.counts(['issue', 'note'])).toEqual({ issue: 3, note: 0 })
  second.close()
})

test('forgets a problem when it is solved', () => {
  const state = new ImportState(at('problems'), servers)
  const problem = { place: 'a/b', what: 'issue #1', reason: 'too long' }
  state.reportProblem('item 1', { ...problem, reason: 'an earlier one' })
  state.reportProblem('item 1', problem)
  state.reportProblem('item 2', problem)
  state.solved('item 2')
  expect(state.problems()).toEqual([problem])
  state.reportProblem('ref 1 a', problem)
  state.reportProblem('ref 11 b', problem)
  state.solvedBelow('ref 1 ')
  expect(state.problems()).toEqual([problem, problem])
  state.close()
})

test('is of one import between two servers', async () => {
  const state = new ImportState(at('one'), servers)
  expect(() => new ImportState(at('one'), servers)).toThrow(new ImportStopped(`another import uses ${at('one')}`))
  state.close()
  const other = { ...servers, source: 'https://other.example' }
  expect(() => new ImportState(at('one'), other)).toThrow('belongs to an import with the source https://old.example')
  await writeFile(at('text'), 'a text that is no database, and long enough to be seen as one'.repeat(20))
  expect(() => new ImportState(at('text'), servers)).toThrow('is not the state of an import')
})
