import { forms, object, of, Type } from '../../api/index.ts'
import type { FreezePeriodRow } from './tables.ts'

const text = Type.String()

/** A freeze period (contract 24, FreezePeriod). */
export const FreezePeriod = object('FreezePeriod', of<FreezePeriodRow>(), {
  id: forms.id,
  freeze_start: text,
  freeze_end: text,
  cron_timezone: text,
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
})
