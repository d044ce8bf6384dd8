import { type ParamValues, t } from '../../api/index.ts'

const text = (description: string) => t.string({ description })
const image = (description: string) =>
  t.file({ description: `${description}, of at most 1 MiB; the empty value removes it.` })

/** The texts of the appearance, in the order of the contract. */
const texts = {
  title: text('Shown where people sign in; at most 255 characters.'),
  description: text('Shown below the title.'),
  pwa_name: text('Of the web application.'),
  pwa_short_name: text('Of the web application, where there is little room.'),
  pwa_description: text('Of the web application.'),
  member_guidelines: text('For people who add members.'),
  new_project_guidelines: text('For people who create projects.'),
  profile_image_guidelines: text('For people who choose an avatar.'),
  header_message: text('A line above every page, and above mails.'),
  footer_message: text('A line below every page, and below mails.'),
}

/** The images, with the formats that they have; all of avatars where none are named. */
export const images = {
  pwa_icon: image('An icon of the web application'),
  logo: image('An image for the page where people sign in'),
  header_logo: image('An image for the bar above every page'),
  favicon: image('An icon for the tabs of browsers, png or ico'),
}
export type ImageName = keyof typeof images
export const imageNames = Object.keys(images) as ImageName[]

/** Parameters of x.appearance_update. */
export const appearanceChanges = {
  ...texts,
  ...images,
  message_background_color: text('Such as `#E75E40`.'),
  message_font_color: text('Such as `#FFFFFF`.'),
  email_header_and_footer_enabled: t.boolean({ description: 'Whether mails have the two lines.' }),
}
export type GivenAppearance = ParamValues<typeof appearanceChanges>
export const textNames = Object.keys(texts) as (keyof typeof texts)[]
