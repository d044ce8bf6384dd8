import { forms, object, of, Type } from '../../../api/index.ts'
import type { EnvironmentRow } from '../tables.ts'

const text = Type.String()

/** An environment inside other objects (contract 24, EnvironmentBasic). */
export const EnvironmentBasic = object('EnvironmentBasic', of<EnvironmentRow>(), {
  id: forms.id,
  name: text,
  slug: text,
  external_url: forms.nullableString,
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
})
