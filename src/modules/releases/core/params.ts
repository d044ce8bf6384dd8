import { type ParamValues, t } from '../../../api/index.ts'
import { newLink } from '../links/params.ts'

const sort = t.oneOf(['asc', 'desc'], { description: 'Default `desc`.' })

/** How releases are shown. */
export const releaseView = {
  include_html_description: t.boolean({ description: 'Whether to show the description in HTML as well.' }),
}
export type ReleaseView = ParamValues<typeof releaseView> & { simple?: boolean }

export const releaseFilter = {
  order_by: t.oneOf(['released_at', 'created_at'], { description: 'Default `released_at`.' }),
  sort,
  ...releaseView,
  updated_before: t.datetime(),
  updated_after: t.datetime(),
}
export type ReleaseFilter = ParamValues<typeof releaseFilter>

export const groupReleaseFilter = {
  sort: t.oneOf(['asc', 'desc'], { description: 'By the date of the release; default `desc`.' }),
  simple: t.boolean({ description: 'Whether to show little more than names and dates.' }),
}
export type GroupReleaseFilter = ParamValues<typeof groupReleaseFilter>

export const latestView = {
  ...releaseView,
  suffix_path: t.string({ description: 'Path behind that of the release.' }),
}
export type LatestView = ParamValues<typeof latestView>

const common = {
  name: t.string({ maxLength: 255, description: 'Default: the name of the tag.' }),
  description: t.string({ maxLength: 1_048_576, description: 'Markdown.' }),
  milestones: t.array(t.string(), { description: 'Titles.' }),
  milestone_ids: t.array(t.integer()),
  released_at: t.datetime({ description: 'Default: now. A later date makes an upcoming release.' }),
}

const { name, url, link_type } = newLink
const link = t.object({
  ...{ name, url, link_type },
  direct_asset_path: t.string({ description: 'Path below the release, with a leading slash.' }),
  filepath: t.string({ description: 'Older name of direct_asset_path, which takes precedence.' }),
})

export const newRelease = {
  tag_name: t.required(t.string({ description: 'The tag of the release.' })),
  ...common,
  tag_message: t.string({ maxLength: 1_048_576, description: 'Makes a new tag an annotated one.' }),
  ref: t.string({ description: 'Branch, tag or commit to be tagged, when there is no such tag.' }),
  assets: t.object({ links: t.array(link, { maximum: 100 }) }),
  legacy_catalog_publish: t.boolean({ description: 'Accepted without effect.' }),
}
export type NewRelease = ParamValues<typeof newRelease>

export const releaseChanges = common
export type ReleaseChanges = ParamValues<typeof releaseChanges>
