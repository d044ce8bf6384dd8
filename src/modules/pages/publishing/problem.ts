/** Why a site is not published. The message is the description of the commit status, after which nothing has changed. */
export class PublishProblem extends Error {
  override name = 'PublishProblem'
}
