/** The content begins like an image of a known format, and is none. */
export class ImageProblem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'ImageProblem'
  }
}
