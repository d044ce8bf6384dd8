import { type Param, t } from '../../../api/index.ts'

export const statusGroups = ['successful', 'client_failure', 'server_failure'] as const
export type StatusFilter = (typeof statusGroups)[number] | number

/** A code, or a group of them. */
const status: Param<StatusFilter, false> = {
  ...(t.string({ description: 'A code, or `successful`, `client_failure`, `server_failure`.' }) as Param<never, false>),
  read(value, name, problems) {
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
    const group = statusGroups.find((one) => one === text)
    if (group) return group
    if (/^[1-9]\d{2}$/.test(text)) return Number(text)
    problems.push({ name, missing: false, text: 'does not have a valid value' })
    return undefined
  },
}

export const deliveryFilter = { status }
