import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound, readWholeBody, type Service, throttleHeaders } from '../../../api/index.ts'
import { type Platform, throttleAlerts } from '../../../platform/index.ts'
import { largestPayloadBytes, parsePayload } from '../payloads/json.ts'
import { type Address, addressesOf } from './addresses.ts'
import { processPayload, requireIntegrationOf, requireTarget } from './receive.ts'

/** Answers in the order of the table of contract 2.22. */
async function receive(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  addresses: readonly Address[],
): Promise<void> {
  if (request.method !== 'POST') throw notFound()
  const target = await requireTarget(platform, addresses)
  const state = await throttleAlerts(platform, target.project.id)
  if (state) reply.headers(throttleHeaders(state))
  const bytes = await readWholeBody(request.raw, largestPayloadBytes, platform.clock)
  const integration = await requireIntegrationOf(platform, target, request.headers.authorization)
  const recorded = await processPayload(platform, integration, parsePayload(bytes), target.monitoringOnly)
  reply
    .code(200)
    .header('Content-Type', 'application/json')
    .send(Buffer.from(JSON.stringify(recorded)))
}

/** Receives the alerts of monitoring tools (contract 2.22, 2.22b, 2.23). */
export function alertIngestion(platform: Platform): Service {
  return {
    async handle(request, reply) {
      const addresses = addressesOf(request.url.split('?', 1)[0] ?? '')
      if (addresses.length === 0) return false
      request.operationId = 'alerts.notify'
      reply.header('Cache-Control', 'no-cache')
      await receive(platform, request, reply, addresses)
      return true
    },
  }
}
