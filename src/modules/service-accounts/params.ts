import { type ParamValues, t } from '../../api/index.ts'

export const accountOrder = { order_by: t.oneOf(['id', 'username']), sort: t.oneOf(['asc', 'desc']) }
export type AccountOrder = ParamValues<typeof accountOrder>

/** Names and address of an account; what is absent is generated. */
export const naming = { name: t.string(), username: t.string(), email: t.string() }

export const accountInPath = { user_id: t.id() }
export const tokenInPath = { ...accountInPath, token_id: t.id() }
