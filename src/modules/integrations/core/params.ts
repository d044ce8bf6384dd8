import { type Param, t } from '../../../api/index.ts'
import { type SharedField, sharedFields } from '../catalogue/catalogue.ts'
import { eventColumns } from '../catalogue/events.ts'
import type { FieldType } from '../catalogue/fields.ts'
import type { FieldValue } from '../tables.ts'

export type GivenFields = Readonly<Record<string, FieldValue | undefined>>

const longest = 10_000

const kinds: Readonly<Record<FieldType, (description: string) => Param<FieldValue, false>>> = {
  text: (description) => t.string({ maxLength: longest, description }),
  boolean: (description) => t.boolean({ description }),
  integer: (description) => t.integer({ description }),
  list: (description) => t.array(t.string({ maxLength: 255 }), { commaSeparated: true, maximum: 1_000, description }),
}

const described = ({ type, slugs }: SharedField) => kinds[type](`For ${slugs.map((slug) => `\`${slug}\``).join(', ')}.`)

/** The fields of all integrations: which one takes which is said by the catalogue. */
const fieldParams: Record<string, Param<FieldValue, false>> = Object.fromEntries(
  [...sharedFields].map(([name, field]) => [name, described(field)]),
)

const eventParams: Record<string, Param<boolean, false>> = Object.fromEntries(
  eventColumns.map((name) => [name, t.boolean({ description: 'Ignored where the integration does not have it.' })]),
)

/** Parameters of x.integration_put. */
export const integrationSettings = {
  slug: t.required(t.string({ description: 'Which one, such as `slack`; `_` and `-` are equal.' })),
  use_inherited_settings: t.boolean({ description: 'Gives up the own settings for those of the nearest group above.' }),
  ...eventParams,
  ...fieldParams,
}
