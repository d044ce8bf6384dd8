# Runs a Ruby program with the gems of Gemfile.lock.
FROM ruby:3.4

RUN apt-get update \
 && apt-get install --yes --no-install-recommends build-essential \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY Gemfile Gemfile.lock ./
RUN bundle config set without 'development test' && bundle install
COPY . .

USER 65532:65532
CMD ["bundle", "exec", "ruby", "app.rb"]
