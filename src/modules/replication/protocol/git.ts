import { PassThrough, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { header, type Raw, type RequestInfo, recordNotFound } from '../../../api/index.ts'
import type { Repository } from '../../../infra/git/index.ts'
import { handled, through } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRow, repositoryById } from '../../../platform/repositories/index.ts'
import type { NodeRow } from '../tables.ts'
import { classOf } from '../types.ts'
import { requireSelected } from './retrieve.ts'

/** The largest request of a fetch, which names what the client has and wants. */
export const largestNegotiation = 64 * 1024 * 1024

/** The repository of an item. @throws ApiError 403, 404 */
export async function repositoryFor(
  platform: Platform,
  node: NodeRow,
  { type, id }: { type: string; id: number },
): Promise<Repository> {
  const known = await requireSelected(platform, node, type, id)
  const row = classOf(known) === 'repositories' ? await repositoryById(platform.database.read, id) : null
  if (!row) throw recordNotFound()
  return openRow(platform, row)
}

const all = 'refs' as const
const noCache = { 'Cache-Control': 'no-cache, max-age=0, must-revalidate' }
const protocolOf = (request: RequestInfo) => header(request, 'git-protocol')

/** What git writes while it runs; a failure breaks the answer off. */
function outputOf(run: (output: PassThrough) => Promise<unknown>): Promise<NodeJS.ReadableStream> {
  const output = handled(new PassThrough())
  run(output).catch((error) => output.destroy(error))
  return Promise.resolve(output)
}

/** Sends all refs (x.geo_int.refs). */
export function sendRefs({ log }: Platform, repository: Repository, request: RequestInfo): Raw {
  const options = {
    service: 'upload-pack',
    shownRefs: all,
    protocol: protocolOf(request),
    signal: request.signal,
  } as const
  return {
    headers: { ...noCache, 'Content-Type': 'application/x-git-upload-pack-advertisement' },
    body: () =>
      outputOf((output) =>
        repository.advertise(options, output).catch((error) => {
          log.warn({ err: error }, 'refs could not be sent to a node')
          throw error
        }),
      ),
  }
}

/** Answers a fetch (x.geo_int.upload_pack). */
export function sendPack(_platform: Platform, repository: Repository, request: RequestInfo): Raw {
  const sent = handled(Readable.from(request.bytes ? [request.bytes] : []))
  const input = /gzip/.test(header(request, 'content-encoding') ?? '') ? through(sent, handled(createGunzip())) : sent
  const options = { stateless: true, shownRefs: all, protocol: protocolOf(request), signal: request.signal } as const
  return {
    headers: { ...noCache, 'Content-Type': 'application/x-git-upload-pack-result' },
    body: () => outputOf((output) => repository.uploadPack(options, input, output)),
  }
}
