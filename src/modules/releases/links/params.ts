import { type ParamValues, t } from '../../../api/index.ts'
import { linkTypes } from '../tables.ts'

const name = t.string({ description: 'Unique within the release.' })
const url = t.string({ description: 'Of http, https or ftp.' })
const others = {
  direct_asset_path: t.nullable(t.string({ description: 'Path below the release, with a leading slash.' })),
  filepath: t.nullable(t.string({ description: 'Older name of direct_asset_path, which takes precedence.' })),
  link_type: t.oneOf(linkTypes, { description: 'Default `other`.' }),
}

export const newLink = { name: t.required(name), url: t.required(url), ...others }
export type NewLink = ParamValues<typeof newLink>

export const linkChanges = { name, url, ...others }
export type GivenLink = ParamValues<typeof linkChanges>
