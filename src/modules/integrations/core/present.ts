import { anything, computed, forms, object, of, oneOf, Type } from '../../../api/index.ts'
import { catalogue } from '../catalogue/catalogue.ts'
import { fieldsOf } from '../catalogue/entry.ts'
import { eventColumns } from '../catalogue/events.ts'
import type { FieldValue } from '../tables.ts'
import type { AppliedIntegration } from './inheritance.ts'

const on = Type.Boolean()

type Switches = { [K in (typeof eventColumns)[number]]: typeof on }
const switches = Object.fromEntries(eventColumns.map((name) => [name, on])) as Switches

const rows = of<AppliedIntegration>()

/** An integration of a project or group (contract 25, Integration). */
export const Integration = object('Integration', rows, {
  id: forms.id,
  title: computed(Type.String(), ({ slug }) => catalogue.get(slug)?.title ?? slug),
  slug: oneOf([...catalogue.keys()]),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  active: on,
  ...switches,
  inherited: on,
  vulnerability_events: computed(on, () => false),
})

/** The values of the fields of an integration that are no secrets; null for those that are unset. */
export function propertiesOf({ slug, fields }: Pick<AppliedIntegration, 'slug' | 'fields'>) {
  const entry = catalogue.get(slug)
  const shown = Object.entries(entry ? fieldsOf(entry) : {}).filter(([, { secret }]) => !secret)
  return Object.fromEntries(shown.map(([name]) => [name, fields[name] ?? null])) as Record<string, FieldValue>
}

/** The same with the values of its fields. */
export const FullIntegration = object('IntegrationWithProperties', rows, {
  ...Integration.fields,
  properties: computed(
    Type.Record(Type.String(), anything, { description: 'The fields that are no secrets.' }),
    propertiesOf,
  ),
})
