import { PassThrough, Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openGate, openTestGit, type TestGit } from '../testing.ts'
import { bombRequest, deltaBomb, zerosBomb } from './bombs-testing.ts'
import { stateOf, untouched } from './push-testing.ts'

const MIB = 1024 * 1024

let own: TestGit
beforeAll(async () => {
  own = await openTestGit({ limits: { processMemoryBytes: 768 * MIB, unpackSeconds: 0.2, unpackSecondsPerMib: 0 } })
})
afterAll(() => own[Symbol.asyncDispose]())

/** Pushes bytes as a client does. @returns the answer and what was accepted */
async function push(request: Buffer, { newRepository } = own) {
  const repository = await newRepository()
  const gate = openGate()
  const output = new PassThrough()
  const answer = output.toArray().then((chunks) => Buffer.concat(chunks).toString('latin1'))
  await repository.receivePack({ stateless: true, gate }, Readable.from([request]), output)
  return { answer: await answer, gate, repository }
}

test('a push that is too large unpacked is refused with a sentence, and leaves nothing', async () => {
  await using limited = await openTestGit({ limits: { unpackedBytes: MIB } })
  const request = async (zeros: number) => bombRequest(await zerosBomb(zeros), 'bomb')
  const refused = await push(await request(MIB), limited)
  expect(refused.answer).toContain('The push was refused: unpacked, its objects have more than 1 MiB.')
  expect(refused.answer).toContain('ng refs/heads/bomb pre-receive hook declined')
  expect(refused.gate.accepted).toEqual([])
  expect(await stateOf(refused.repository)).toEqual(untouched)
  const { gate } = await push(await request(MIB - 1_000), limited)
  expect(gate.accepted).toHaveLength(1)
})

// Other systems have neither limit.
describe.runIf(process.platform === 'linux')('a small pack with huge objects', () => {
  test('that needs too much memory is refused with a sentence, and leaves nothing', async () => {
    const { answer, gate, repository } = await push(bombRequest(deltaBomb({ factor: 1024, steps: 2 }), 'bomb'))
    expect(answer).toContain('The push was refused: to unpack it takes more than 768 MiB of memory.')
    expect(answer).toContain('ng refs/heads/bomb unpacker error')
    expect(gate.accepted).toEqual([])
    expect(await stateOf(repository)).toEqual(untouched)
  })

  test('that needs too much time is refused with a sentence, and leaves nothing', async () => {
    const { answer, gate, repository } = await push(bombRequest(await zerosBomb(150 * MIB), 'bomb'))
    expect(answer).toContain('The push was refused: to unpack it takes too long for a pack of its size.')
    expect(answer).toContain('ng refs/heads/bomb unpacker error')
    expect(gate.accepted).toEqual([])
    expect(await stateOf(repository)).toEqual(untouched)
  })

  test('within the limits is accepted', async () => {
    const { answer, gate } = await push(bombRequest(deltaBomb({ factor: 2, steps: 6 }), 'large'))
    expect(answer).toContain('ok refs/heads/large')
    expect(gate.accepted).toHaveLength(1)
  })
})
