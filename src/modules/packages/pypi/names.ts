const longest = 255
const nameForm = /^[A-Za-z0-9._-]+$/
const fileForm = /^[A-Za-z0-9._+!~-]+$/

const release = '(?:[0-9]+!)?[0-9]+(?:\\.[0-9]+)*'
const before = '(?:[-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)[-_.]?[0-9]*)?'
const after = '(?:-[0-9]+|[-_.]?(?:post|rev|r)[-_.]?[0-9]*)?'
const development = '(?:[-_.]?dev[-_.]?[0-9]*)?'
const local = '(?:\\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?'
/** PEP 440. */
const versionForm = new RegExp(`^v?${release}${before}${after}${development}${local}$`, 'i')

/** Whether a text is the name of a Python project (contract 23, x.pypi_upload). */
export const isPypiName = (text: string): boolean => text.length <= longest && nameForm.test(text)

/** Whether a text is a version by PEP 440. */
export const isPypiVersion = (text: string): boolean => text.length <= longest && versionForm.test(text)

/** Whether a text is the name of a distribution. */
export const isDistributionName = (text: string): boolean =>
  text.length <= longest && fileForm.test(text) && !/^\.+$/.test(text)

/** The form by which names are compared (PEP 503). */
export const normalised = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')
