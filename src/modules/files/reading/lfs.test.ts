import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { anonymous, type RequestInfo } from '../../../api/index.ts'
import type { Platform, Ports } from '../../../platform/index.ts'
import { imported, importStream, startTestServer } from '../../../testing/index.ts'
import type { Project } from '../../projects/index.ts'
import { getRawFile } from './files.ts'

/** The port decides what a pointer is, so any text will do. */
const pointer = 'stands for something else\n'

test('a git LFS pointer is answered with its object when `lfs` is set and the object exists', async () => {
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
  const lfsContent: Ports['files.lfs_content'] = async (_platform, _project, content) => {
    asked.push(content.toString())
    if (content.toString() !== pointer) return null
    return { sizeBytes: 7, open: async () => Readable.from([Buffer.from('content')]) }
  }
  const { platform: actual } = server.app
  const platform: Platform = { ...actual, ports: { ...actual.ports, 'files.lfs_content': lfsContent } }
  const request = { ip: '192.0.2.1', signal: new AbortController().signal } as RequestInfo
  const read = async (path: string, lfs: boolean) => {
    const reading = { project: project as Project, actor: anonymous, request }
    const { headers, body } = await getRawFile(platform, reading, { path, ref: 'main' }, { lfs })
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
