import { type AnswerOf, forbidden, notFound } from '../../../api/index.ts'
import {
  type EventColumn,
  eventDefaults,
  fieldsOfIntegration,
  type IntegrationEntry,
  type IntegrationField,
  integrationCatalogue,
  integrationTwins,
} from '../../operations.ts'
import { type Page, page, type Visit } from '../../page.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Do, Field, Form, visitOfForm } from '../../parts/form.tsx'
import { wordOf } from '../../parts/words.ts'
import { at, type Place } from './places.ts'

type Found = AnswerOf<(typeof integrationTwins)[Place]['get']>

type Shown = { visit: Visit; place: Place; slug: string; entry: IntegrationEntry; found: Found | null }

/** What is said of a field. */
function hintOf({ secret, type, default: otherwise }: IntegrationField, isRequired: boolean, isSet: boolean): string {
  const kept = isRequired
    ? 'It is not shown, and is given again with each change.'
    : 'It is not shown. Left empty, it stays.'
  return [
    type === 'list' ? 'One in each line.' : '',
    secret && isSet ? kept : '',
    otherwise === undefined || type === 'boolean' ? '' : `Otherwise \`${otherwise}\`.`,
  ]
    .filter(Boolean)
    .join(' ')
}

function CatalogueField({ name, field, ...shown }: Shown & { name: string; field: IntegrationField }) {
  const { visit, place, entry, found } = shown
  const isRequired = name in entry.required
  const value = found?.properties[name] ?? (field.type === 'boolean' ? field.default : undefined)
  const options = {
    value,
    required: isRequired,
    isSecret: field.secret && field.form === undefined,
    rows: field.form === undefined || field.form === 'host name' ? undefined : 6,
    choices: field.values?.map((one) => [one, wordOf(name, one)] as const),
    // The description of the parameter is about all integrations.
    hint: hintOf(field, isRequired, found?.active === true) || ' ',
  }
  return <Field visit={visit} operation={integrationTwins[place].put} name={name} options={options} />
}

function EventField({ visit, place, found, name }: Shown & { name: EventColumn }) {
  const options = { label: wordOf('', name), value: found?.[name] ?? eventDefaults[name], hint: ' ' }
  return <Field visit={visit} operation={integrationTwins[place].put} name={name} options={options} />
}

/** The form for the own settings, with the values that apply. */
function Settings({ isNew, ...given }: Shown & { isNew: boolean }) {
  const { place, slug, entry, found } = given
  const visit = visitOfForm(given.visit, integrationTwins[place].put)
  const shown = { ...given, visit }
  const fields = Object.entries(fieldsOfIntegration(entry))
  const names = (isRequired: boolean) => fields.filter(([name]) => name in entry.required === isRequired)
  const empty = fields.flatMap(([name]) => {
    const value = found?.properties[name] ?? ''
    return value === '' ? [name] : []
  })
  const part = ([name, field]: [string, IntegrationField]) => <CatalogueField {...shown} name={name} field={field} />
  const optional = names(false)
  return (
    <Form
      visit={visit}
      performs={integrationTwins[place].put}
      call={{ id: visit[place].id, slug }}
      then={at(visit, place)}
      empty={empty}
      class="stack"
    >
      {names(true).map(part)}
      {entry.events.length > 0 && (
        <fieldset class="field group">
          <legend>Events</legend>
          {entry.events.map((name) => (
            <EventField {...shown} name={name} />
          ))}
        </fieldset>
      )}
      {optional.length > 0 && (
        <details class="more" open={optional.length < 4 || optional.some(([name]) => visit.refused?.fields[name])}>
          <summary>
            More <span class="optional">{optional.length}</span>
          </summary>
          <div class="fields">{optional.map(part)}</div>
        </details>
      )}
      <div class="buttons">
        <button class="primary">{found?.inherited ? 'Use own settings' : isNew ? 'Set up' : 'Save'}</button>
      </div>
    </Form>
  )
}

/** The settings of the integration of a project or group, by the catalogue. */
export function integrationPage(place: Place): Page {
  const { get, put, delete: disable } = integrationTwins[place]
  return page({
    at: place,
    path: 'settings/integrations/:slug',
    performs: [put, disable],
    async show(visit) {
      const { slug = '' } = visit.params
      const entry = integrationCatalogue.get(slug)
      if (!entry || entry.does === 'elsewhere') throw notFound('Integration')
      const call = { id: visit[place].id, slug }
      // One that was never set is not found, as for those who may not read them.
      if (!(await visit.may(get, call))) throw forbidden()
      const [found, mayChange, mayInherit] = await Promise.all([
        visit.find(get, call),
        visit.may(put, call),
        visit.may(put, { ...call, use_inherited_settings: true }),
      ])
      const shown = { visit, place, slug, entry, found }
      const isActive = found?.active === true
      const then = at(visit, place)
      return {
        title: entry.title,
        crumbs: [['Integrations', then]],
        actions: mayChange && isActive && (
          <Confirm
            label="Disable"
            question={found.inherited ? `It is switched off in this ${place}.` : 'Its settings are forgotten.'}
          >
            <Do visit={visit} performs={disable} call={call} then={then} kind="danger">
              Disable it
            </Do>
          </Confirm>
        ),
        body: (
          <div class="derived">
            {found?.inherited && <p>These are the settings of a group above, and change with them.</p>}
            {!isActive && <p class="soft">It is not active.</p>}
            {mayInherit && !found?.inherited && (
              <Form
                visit={visit}
                performs={put}
                form="inherit"
                call={{ ...call, use_inherited_settings: true }}
                then={then}
              >
                <p>
                  A group above has settings for it. <button>Use inherited settings</button>
                </p>
              </Form>
            )}
            {mayChange && <Settings {...shown} isNew={!isActive} />}
          </div>
        ),
      }
    },
  })
}
