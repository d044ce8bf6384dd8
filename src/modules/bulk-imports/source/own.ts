import { Readable } from 'node:stream'
import { ApiError, type Caller, createPerformer, type Operation, operationsFor, type Raw } from '../../../api/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import { sourceOperations } from './operations.ts'
import { type Call, type Source, SourceFailed, SourceRefused } from './source.ts'

const performers = perPlatform<{ performer?: ReturnType<typeof createPerformer> }>(() => ({}))

function performerOf(platform: Platform) {
  const state = performers(platform)
  state.performer ??= createPerformer({
    platform,
    operations: operationsFor(sourceOperations, platform.config.edition),
  })
  return state.performer
}

/**
 * This server as a source: operations are performed in process, by the steps of a request (contract 25, 9). The token is checked for
 * each, so that a right that ends, ends at once.
 */
export function ownSource(platform: Platform, { token, signal }: { token: string; signal: AbortSignal }): Source {
  async function perform(operation: Operation, call: Call): Promise<{ status: number; value: unknown }> {
    signal.throwIfAborted()
    try {
      const actor = await platform.ports['request.authenticate'](platform, { carrier: 'private', text: token })
      const request: Caller['request'] = { id: 'bulk-import', ip: '127.0.0.1', signal }
      return await performerOf(platform).perform(operation, { actor, request, found: new Map() }, { ...call })
    } catch (error) {
      if (error instanceof ApiError) return { status: error.status, value: error.body }
      throw error
    }
  }

  return {
    async ask(operation, call) {
      const { status, value } = await perform(operation, call)
      const isPage = status === 200 && 'pageOf' in operation.result[1]
      return { status, body: isPage ? (value as { items: unknown }).items : value }
    },
    async open(operation, call) {
      const { status, value } = await perform(operation, call)
      if (status !== 200) throw new SourceRefused(status)
      const { body } = value as Raw
      const opened = typeof body === 'function' ? await body() : body
      if (opened instanceof Readable) return handled(opened)
      if (typeof opened === 'string' || Buffer.isBuffer(opened)) return handled(Readable.from([opened]))
      throw new SourceFailed('The file cannot be read')
    },
  }
}
