import { type ParamValues, t } from '../../api/index.ts'

/** The roles that a message can be for (contract 06). */
export const targetLevels = [10, 15, 20, 30, 40, 50] as const
export const broadcastTypes = ['banner', 'notification'] as const
export const themes = [
  'indigo',
  'light-indigo',
  'blue',
  'light-blue',
  'green',
  'light-green',
  'red',
  'light-red',
  'dark',
  'light',
] as const

const others = {
  starts_at: t.datetime({ description: 'Default: now.' }),
  ends_at: t.datetime({ description: 'Default: one hour from now.' }),
  font: t.string({ description: 'Color of the text, such as `#FFFFFF`.' }),
  target_access_levels: t.array(t.string(), {
    commaSeparated: true,
    description: `Roles that the message is for: ${targetLevels.join(', ')}. Empty: everyone.`,
  }),
  target_path: t.nullable(t.string({ maxLength: 255, description: 'Where it is shown; `*` is any text.' })),
  broadcast_type: t.oneOf(broadcastTypes),
  dismissable: t.boolean(),
  theme: t.oneOf(themes),
}

/** Parameters of 2.28. */
export const messageFilter = { active: t.boolean({ description: 'Only messages that are shown now, or the others.' }) }
export type MessageFilter = ParamValues<typeof messageFilter>

/** Parameters of 2.30. */
export const newMessage = { message: t.required(t.string()), ...others }
export type NewMessage = ParamValues<typeof newMessage>

/** Parameters of 2.31. */
export const messageChanges = { message: t.string(), ...others }
export type MessageChanges = ParamValues<typeof messageChanges>

export const messagePath = { id: t.id() }
