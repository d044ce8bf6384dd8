import { inMaintenance, type Operation } from '../api/index.ts'
import type { Platform } from './platform.ts'

/** What is said where administrators have written nothing. */
const standardSentence = 'The server is in maintenance mode. Nothing can be changed until it ends.'

type Settled = Pick<Platform, 'settings'>

/** Why nothing may be changed now; null outside of maintenance (contract 20 R18). */
export async function maintenanceSentence({ settings }: Settled): Promise<string | null> {
  const { maintenance_mode: isOn, maintenance_mode_message: message } = await settings.current()
  return isOn ? (message ?? standardSentence) : null
}

/** @throws ApiError 503 in maintenance */
export async function requireNoMaintenance(platform: Settled): Promise<void> {
  const sentence = await maintenanceSentence(platform)
  if (sentence !== null) throw inMaintenance(sentence)
}

/** Whether an operation is performed in maintenance: it says so, or it only reads, as its method or its scopes say. */
export function isOpenInMaintenance(operation: Pick<Operation, 'method' | 'scopes' | 'duringMaintenance'>): boolean {
  const { method, scopes, duringMaintenance } = operation
  const isRead = method === 'GET' || method === 'HEAD' || (scopes !== 'any' && scopes.includes('read_api'))
  return isRead || duringMaintenance === true
}
