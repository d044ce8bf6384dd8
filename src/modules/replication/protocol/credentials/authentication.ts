import {
  failure,
  forbidden,
  header,
  type InstanceAbility,
  instance,
  type RequestInfo,
  type Subject,
} from '../../../../api/index.ts'
import type { Platform } from '../../../../platform/index.ts'
import { secretOf } from '../../nodes/credentials.ts'
import { ownNode } from '../../nodes/own-node.ts'
import { nodeByAccessKey } from '../../nodes/store.ts'
import type { NodeRow } from '../../tables.ts'
import { isValidToken, sentToken } from './token.ts'

const refused = () => failure(401, '401 Unauthorized - Geo JWT authentication failed')

/**
 * The node whose token a request carries; null when it carries none.
 * @throws ApiError 401 for a malformed, unknown or expired token
 */
export async function nodeOfToken(platform: Platform, request: Pick<RequestInfo, 'headers'>): Promise<NodeRow | null> {
  const sent = sentToken(header(request, 'authorization'))
  if (sent === undefined) return null
  if (sent === null) throw refused()
  const node = await nodeByAccessKey(platform.database.read, sent.accessKey)
  if (!node?.sealed_secret || node.is_primary) throw refused()
  const secret = await secretOf(platform, sent.accessKey, node.sealed_secret)
  if (!isValidToken(sent.jwt, secret, platform.clock.now())) throw refused()
  return node
}

/**
 * The node that calls an operation of the protocol (contract 15, "Node-to-node protocol").
 * @param whileDisabled whether a disabled node may call it too
 * @throws ApiError 401; 403 when this server is not the primary, or the node is disabled
 */
export async function requireNode(
  platform: Platform,
  request: Pick<RequestInfo, 'headers'>,
  { whileDisabled = false } = {},
): Promise<NodeRow> {
  const node = await nodeOfToken(platform, request)
  if (!node) throw refused()
  const own = await ownNode(platform, platform.database.read)
  if (!own?.is_primary) throw forbidden('Not a primary node')
  if (!node.enabled && !whileDisabled) throw forbidden('Node is disabled')
  return node
}

/**
 * The node that calls, as the subject of an operation: it is known before parameters are read (contract 00, "Order of checks").
 * @param options see `requireNode`
 */
export function callingNode(options: { whileDisabled?: boolean } = {}): Subject<NodeRow, InstanceAbility, Platform> {
  const find = (platform: Platform, request: RequestInfo) => requireNode(platform, request, options)
  return { ...instance, identifiesCaller: true, authorize() {}, find }
}
