import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { anonymous, createRateCounter, type RequestInfo } from '../../api/index.ts'
import { imported, importStream, startTestServer } from '../../testing/index.ts'
import type { Project } from '../projects/index.ts'
import { createFiles, type LfsContent } from './files.ts'

/** What a pointer is, is not for this module to say. */
const pointer = 'stands for something else\n'

test('a pointer of git LFS is answered with what it points at, where that is asked for and there', async () => {
  await using server = await startTestServer()
  const owner = await server.user('owner')
  const stream = importStream([
    {
      message: 'x',
      files: [
        ['100644', 'pointer', pointer],
        ['100644', 'plain', 'plain'],
        ['100644', 'long', pointer.repeat(100)],
      ],
    },
  ])
  const project = await imported(server, owner, 'lfs', stream)
  const asked: string[] = []
  const lfsContent: LfsContent = async (_project, content) => {
    asked.push(content.toString())
    if (content.toString() !== pointer) return null
    return { sizeBytes: 7, open: async () => Readable.from([Buffer.from('content')]) }
  }
  const { database, repositories, clock } = server.app.floor
  const files = createFiles({ database, repositories, rateCounter: createRateCounter(database, clock), lfsContent })
  const request = { ip: '192.0.2.1', signal: new AbortController().signal } as RequestInfo
  const read = async (path: string, lfs: boolean) => {
    const reading = { project: project as Project, actor: anonymous, request }
    const { headers, body } = await files.raw(reading, { path, ref: 'main' }, { lfs })
    const content = typeof body === 'function' ? await text(await body()) : String(body)
    return [content, headers['Content-Length'], headers['Content-Type']]
  }
  expect(await read('pointer', false)).toEqual([pointer, String(pointer.length), 'text/plain; charset=utf-8'])
  expect(asked).toEqual([])
  expect(await read('pointer', true)).toEqual(['content', '7', 'application/octet-stream'])
  expect(await read('plain', true)).toEqual(['plain', '5', 'text/plain; charset=utf-8'])
  expect((await read('long', true))[0]).toBe(pointer.repeat(100))
  expect(asked).toEqual([pointer, 'plain'])
})
