# Serves a PHP application with Apache. Its public files are in the folder public.
FROM php:8-apache

RUN apt-get update \
 && apt-get install --yes --no-install-recommends libzip-dev unzip \
 && docker-php-ext-install pdo_mysql zip \
 && rm -rf /var/lib/apt/lists/*
COPY --from=composer:2 /usr/bin/composer /usr/local/bin/composer

WORKDIR /var/www/app
COPY composer.json composer.lock ./
RUN composer install --no-dev --no-scripts --prefer-dist
COPY . .
RUN rm -rf /var/www/html && ln -s /var/www/app/public /var/www/html

EXPOSE 80
